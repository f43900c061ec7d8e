import { notWritten } from "../not-written.js";

/** @type {(access: import("../access.js").Access) => import("@sallyport/core").KeyRepository} */
export const keyRepository = (access) => ({
  async current(kind) {
    return notWritten("keys.current");
  },

  async accepted(kind) {
    return notWritten("keys.accepted");
  },

  async addFirst(key) {
    return notWritten("keys.addFirst");
  },

  async kept(kind) {
    return notWritten("keys.kept");
  },

  async rotate(expectedKeyId, key, overlap) {
    return notWritten("keys.rotate");
  },

  async sweep(age, limit) {
    return notWritten("keys.sweep");
  },
});
