import { notImplemented } from "../not-implemented.js";

/** @type {(access: import("../access.js").Access) => import("@sallyport/storage").ThrottleRepository} */
export const throttleRepository = (access) => ({
  async attempt(keys) {
    return notImplemented("throttle.attempt");
  },

  async fail(keys) {
    return notImplemented("throttle.fail");
  },

  async pass(keys, forget, granted) {
    return notImplemented("throttle.pass");
  },

  async sweep(limit) {
    return notImplemented("throttle.sweep");
  },
});
