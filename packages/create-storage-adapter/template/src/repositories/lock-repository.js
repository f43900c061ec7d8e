import { notWritten } from "../not-written.js";

/** @type {(access: import("../access.js").Access) => import("@sallyport/core").LockRepository} */
export const lockRepository = (access) => ({
  async take(id, session, atMost) {
    return notWritten("locks.take");
  },

  async release(id, session) {
    return notWritten("locks.release");
  },

  async state(id) {
    return notWritten("locks.state");
  },

  async sweep(limit) {
    return notWritten("locks.sweep");
  },
});
