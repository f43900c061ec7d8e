import { notImplemented } from "../not-implemented.js";

/** @type {(access: import("../access.js").Access) => import("@sallyport/storage").ObjectRepository} */
export const objectRepository = (access) => ({
  async get(which, visibility, bytes) {
    return notImplemented("objects.get");
  },

  async outlines(ids, visibility) {
    return notImplemented("objects.outlines");
  },

  async find(query, visibility, page, bytes) {
    return notImplemented("objects.find");
  },

  async match(query, visibility, atMost) {
    return notImplemented("objects.match");
  },

  async count(query, visibility, atMost) {
    return notImplemented("objects.count");
  },

  async lock(ids) {
    return notImplemented("objects.lock");
  },

  async insert(objects, by) {
    return notImplemented("objects.insert");
  },

  async update(changes, by) {
    return notImplemented("objects.update");
  },
});
