import { notImplemented } from "../not-implemented.js";

/** @type {(access: import("../access.js").Access) => import("@sallyport/storage").AppKeyRepository} */
export const appKeyRepository = (access) => ({
  async create(appKey, digest) {
    return notImplemented("appKeys.create");
  },

  async setEnabled(name, enabled) {
    return notImplemented("appKeys.setEnabled");
  },

  async listsOrigin(origin) {
    return notImplemented("appKeys.listsOrigin");
  },

  async list(after, limit) {
    return notImplemented("appKeys.list");
  },
});
