import { notImplemented } from "../not-implemented.js";

/** @type {(access: import("../access.js").Access) => import("@sallyport/storage").LockRepository} */
export const lockRepository = (access) => ({
  async take(id, session, atMost) {
    return notImplemented("locks.take");
  },

  async release(id, session) {
    return notImplemented("locks.release");
  },

  async state(id) {
    return notImplemented("locks.state");
  },

  async sweep(limit) {
    return notImplemented("locks.sweep");
  },
});
