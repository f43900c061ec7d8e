import { notWritten } from "../not-written.js";

/** @type {(access: import("../access.js").Access) => import("@sallyport/core").AccountRepository} */
export const accountRepository = (access) => ({
  async find(selector, links) {
    return notWritten("accounts.find");
  },

  async create(account, confusableKey) {
    return notWritten("accounts.create");
  },

  async change(id, change) {
    return notWritten("accounts.change");
  },

  async setSecret(id, secret, expectedVersion) {
    return notWritten("accounts.setSecret");
  },

  async rehash(id, secret, newSecret) {
    return notWritten("accounts.rehash");
  },

  async remove(ids) {
    return notWritten("accounts.remove");
  },

  async list(realm, after, limit) {
    return notWritten("accounts.list");
  },
});
