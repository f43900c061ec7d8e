import { notWritten } from "../not-written.js";

/** @type {(access: import("../access.js").Access) => import("@sallyport/core").AuditRepository} */
export const auditRepository = (access) => ({
  async append(event) {
    return notWritten("audit.append");
  },

  async tally(key, event) {
    return notWritten("audit.tally");
  },

  async settle(age, limit) {
    return notWritten("audit.settle");
  },

  async read(after, limit) {
    return notWritten("audit.read");
  },

  async sweep(age, limit) {
    return notWritten("audit.sweep");
  },
});
