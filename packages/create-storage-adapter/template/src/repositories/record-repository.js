import { notImplemented } from "../not-implemented.js";

/** @type {(access: import("../access.js").Access) => import("@sallyport/storage").RecordRepository} */
export const recordRepository = (access) => ({
  async get(kind, ids) {
    return notImplemented("records.get");
  },

  async put(kind, id, value, options) {
    return notImplemented("records.put");
  },

  async putWithin(kind, id, value, options) {
    return notImplemented("records.putWithin");
  },

  async take(kind, id) {
    return notImplemented("records.take");
  },

  async remove(kind, selector) {
    return notImplemented("records.remove");
  },

  async list(kind, selection) {
    return notImplemented("records.list");
  },

  async count(kind) {
    return notImplemented("records.count");
  },

  async claim(kind, limit, lease) {
    return notImplemented("records.claim");
  },

  async settle(kind, claimed, settlement) {
    return notImplemented("records.settle");
  },

  async sweep(limit) {
    return notImplemented("records.sweep");
  },
});
