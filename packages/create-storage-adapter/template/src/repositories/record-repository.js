import { notWritten } from "../not-written.js";

/** @type {(access: import("../access.js").Access) => import("@sallyport/core").RecordRepository} */
export const recordRepository = (access) => ({
  async get(kind, ids) {
    return notWritten("records.get");
  },

  async put(kind, id, value, options) {
    return notWritten("records.put");
  },

  async putWithin(kind, id, value, options) {
    return notWritten("records.putWithin");
  },

  async take(kind, id) {
    return notWritten("records.take");
  },

  async remove(kind, selector) {
    return notWritten("records.remove");
  },

  async list(kind, selection) {
    return notWritten("records.list");
  },

  async count(kind) {
    return notWritten("records.count");
  },

  async claim(kind, limit, lease) {
    return notWritten("records.claim");
  },

  async settle(kind, claimed, settlement) {
    return notWritten("records.settle");
  },

  async sweep(limit) {
    return notWritten("records.sweep");
  },
});
