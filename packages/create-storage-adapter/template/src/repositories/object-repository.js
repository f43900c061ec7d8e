import { notWritten } from "../not-written.js";

/** @type {(access: import("../access.js").Access) => import("@sallyport/core").ObjectRepository} */
export const objectRepository = (access) => ({
  async get(which, visibility, bytes) {
    return notWritten("objects.get");
  },

  async outlines(ids, visibility) {
    return notWritten("objects.outlines");
  },

  async find(query, visibility, page, bytes) {
    return notWritten("objects.find");
  },

  async match(query, visibility, atMost) {
    return notWritten("objects.match");
  },

  async count(query, visibility, atMost) {
    return notWritten("objects.count");
  },

  async lock(ids) {
    return notWritten("objects.lock");
  },

  async insert(objects, by) {
    return notWritten("objects.insert");
  },

  async update(changes, by) {
    return notWritten("objects.update");
  },
});
