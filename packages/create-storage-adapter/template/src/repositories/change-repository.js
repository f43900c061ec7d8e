import { notWritten } from "../not-written.js";

/** @type {(access: import("../access.js").Access) => import("@sallyport/core").ChangeRepository} */
export const changeRepository = (access) => ({
  async watermark() {
    return notWritten("changes.watermark");
  },

  async read(after, upTo, limit) {
    return notWritten("changes.read");
  },
});
