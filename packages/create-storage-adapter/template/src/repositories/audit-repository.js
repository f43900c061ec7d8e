import { notImplemented } from "../not-implemented.js";

/** @type {(access: import("../access.js").Access) => import("@sallyport/storage").AuditRepository} */
export const auditRepository = (access) => ({
  async append(event) {
    return notImplemented("audit.append");
  },

  async tally(key, event) {
    return notImplemented("audit.tally");
  },

  async settle(age, limit) {
    return notImplemented("audit.settle");
  },

  async read(after, limit) {
    return notImplemented("audit.read");
  },

  async sweep(age, limit) {
    return notImplemented("audit.sweep");
  },
});
