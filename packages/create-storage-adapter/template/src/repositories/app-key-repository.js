import { notWritten } from "../not-written.js";

/** @type {(access: import("../access.js").Access) => import("@sallyport/core").AppKeyRepository} */
export const appKeyRepository = (access) => ({
  async create(appKey, digest) {
    return notWritten("appKeys.create");
  },

  async setEnabled(name, enabled) {
    return notWritten("appKeys.setEnabled");
  },

  async listsOrigin(origin) {
    return notWritten("appKeys.listsOrigin");
  },

  async list(after, limit) {
    return notWritten("appKeys.list");
  },
});
