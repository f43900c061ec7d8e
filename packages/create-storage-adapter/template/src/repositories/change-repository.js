import { notImplemented } from "../not-implemented.js";

/** @type {(access: import("../access.js").Access) => import("@sallyport/storage").ChangeRepository} */
export const changeRepository = (access) => ({
  async watermark() {
    return notImplemented("changes.watermark");
  },

  async read(query) {
    return notImplemented("changes.read");
  },
});
