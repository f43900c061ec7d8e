import { notWritten } from "../not-written.js";

/** @type {(access: import("../access.js").Access) => import("@sallyport/core").PasswordHistoryRepository} */
export const passwordHistoryRepository = (access) => ({
  async latest(subject, limit) {
    return notWritten("passwordHistory.latest");
  },

  async add(subject, secret, keep) {
    return notWritten("passwordHistory.add");
  },
});
