import { notImplemented } from "../not-implemented.js";

/** @type {(access: import("../access.js").Access) => import("@sallyport/storage").SessionRepository} */
export const sessionRepository = (access) => ({
  async open(session, policy) {
    return notImplemented("sessions.open");
  },

  async changeAppNames(digest, change) {
    return notImplemented("sessions.changeAppNames");
  },

  async end(selector) {
    return notImplemented("sessions.end");
  },

  async renew(digest, secretVersion) {
    return notImplemented("sessions.renew");
  },

  async list(page, selector) {
    return notImplemented("sessions.list");
  },

  async count(seats) {
    return notImplemented("sessions.count");
  },

  async sweep(limit) {
    return notImplemented("sessions.sweep");
  },
});
