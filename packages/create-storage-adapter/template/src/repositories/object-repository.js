import { notWritten } from "../not-written.js";

/** @type {(access: import("../access.js").Access) => import("@sallyport/core").ObjectRepository} */
export const objectRepository = (access) => ({
  async get(ids, visibility) {
    return notWritten("objects.get");
  },

  async getByUuid(uuid, visibility) {
    return notWritten("objects.getByUuid");
  },

  async visible(ids, visibility) {
    return notWritten("objects.visible");
  },

  async find(query, visibility, page) {
    return notWritten("objects.find");
  },

  async getByUuids(uuids, visibility) {
    return notWritten("objects.getByUuids");
  },

  async count(query, visibility, atMost) {
    return notWritten("objects.count");
  },

  async hold(ids) {
    return notWritten("objects.hold");
  },

  async insert(objects, by) {
    return notWritten("objects.insert");
  },

  async update(changes, by) {
    return notWritten("objects.update");
  },
});
