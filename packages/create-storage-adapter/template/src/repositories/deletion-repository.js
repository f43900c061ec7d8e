import { notImplemented } from "../not-implemented.js";

/** @type {(access: import("../access.js").Access) => import("@sallyport/storage").DeletionRepository} */
export const deletionRepository = (access) => ({
  async lock(ids, by) {
    return notImplemented("deletion.lock");
  },

  async referrers(ids, query) {
    return notImplemented("deletion.referrers");
  },

  async clear(links) {
    return notImplemented("deletion.clear");
  },

  async delete(ids, how) {
    return notImplemented("deletion.delete");
  },

  async find(reference, visibility) {
    return notImplemented("deletion.find");
  },

  async recycledWith(id, by) {
    return notImplemented("deletion.recycledWith");
  },

  async targets(ids) {
    return notImplemented("deletion.targets");
  },

  async listRecycled(page) {
    return notImplemented("deletion.listRecycled");
  },

  async purge(ids) {
    return notImplemented("deletion.purge");
  },

  async restore(objects) {
    return notImplemented("deletion.restore");
  },

  async sweep(age, limit) {
    return notImplemented("deletion.sweep");
  },
});
