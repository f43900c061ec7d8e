import { notWritten } from "../not-written.js";

/** @type {(access: import("../access.js").Access) => import("@sallyport/core").DeletionRepository} */
export const deletionRepository = (access) => ({
  async lock(ids, by) {
    return notWritten("deletion.lock");
  },

  async referrers(ids, query) {
    return notWritten("deletion.referrers");
  },

  async clear(links) {
    return notWritten("deletion.clear");
  },

  async delete(ids, how) {
    return notWritten("deletion.delete");
  },

  async find(reference, visibility) {
    return notWritten("deletion.find");
  },

  async recycledWith(id, by) {
    return notWritten("deletion.recycledWith");
  },

  async targets(ids) {
    return notWritten("deletion.targets");
  },

  async listRecycled(page) {
    return notWritten("deletion.listRecycled");
  },

  async purge(ids) {
    return notWritten("deletion.purge");
  },

  async countRecycled(classes) {
    return notWritten("deletion.countRecycled");
  },

  async restore(objects) {
    return notWritten("deletion.restore");
  },
});
