import { notWritten } from "../not-written.js";

/** @type {(access: import("../access.js").Access) => import("@sallyport/core").SessionRepository} */
export const sessionRepository = (access) => ({
  async open(session, policy) {
    return notWritten("sessions.open");
  },

  async end(selector) {
    return notWritten("sessions.end");
  },

  async renew(digest, secretVersion) {
    return notWritten("sessions.renew");
  },

  async count() {
    return notWritten("sessions.count");
  },

  async sweep(limit) {
    return notWritten("sessions.sweep");
  },
});
