import { notWritten } from "../not-written.js";

/** @type {(access: import("../access.js").Access) => import("@sallyport/core").OneTimeRepository} */
export const oneTimeRepository = (access) => ({
  async issue(secret) {
    return notWritten("oneTime.issue");
  },

  async issueWithin(secret, room) {
    return notWritten("oneTime.issueWithin");
  },

  async read(kind, digest) {
    return notWritten("oneTime.read");
  },

  async consume(kind, digest) {
    return notWritten("oneTime.consume");
  },

  async revoke(kind, subject) {
    return notWritten("oneTime.revoke");
  },

  async sweep(limit) {
    return notWritten("oneTime.sweep");
  },
});
