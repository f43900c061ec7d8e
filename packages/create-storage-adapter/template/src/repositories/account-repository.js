import { notImplemented } from "../not-implemented.js";

/** @type {(access: import("../access.js").Access) => import("@sallyport/storage").AccountRepository} */
export const accountRepository = (access) => ({
  async find(selector, links) {
    return notImplemented("accounts.find");
  },

  async create(account, confusableKey) {
    return notImplemented("accounts.create");
  },

  async change(id, change) {
    return notImplemented("accounts.change");
  },

  async setSecret(id, secret, expectedVersion) {
    return notImplemented("accounts.setSecret");
  },

  async rehash(id, secret, newSecret) {
    return notImplemented("accounts.rehash");
  },

  async remove(ids) {
    return notImplemented("accounts.remove");
  },

  async list(realm, after, limit) {
    return notImplemented("accounts.list");
  },
});
