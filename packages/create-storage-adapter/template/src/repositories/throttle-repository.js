import { notWritten } from "../not-written.js";

/** @type {(access: import("../access.js").Access) => import("@sallyport/core").ThrottleRepository} */
export const throttleRepository = (access) => ({
  async attempt(keys) {
    return notWritten("throttle.attempt");
  },

  async fail(keys) {
    return notWritten("throttle.fail");
  },

  async pass(keys, forget, granted) {
    return notWritten("throttle.pass");
  },

  async sweep(limit) {
    return notWritten("throttle.sweep");
  },
});
