import { notWritten } from "../not-written.js";

/** @type {(access: import("../access.js").Access) => import("@sallyport/core").AccountRepository} */
export const accountRepository = (access) => ({
  async forProof(loginName, links) {
    return notWritten("accounts.forProof");
  },

  async byUser(userId, links) {
    return notWritten("accounts.byUser");
  },

  async byIdentity(linkId, links) {
    return notWritten("accounts.byIdentity");
  },

  async create(account, confusableKey) {
    return notWritten("accounts.create");
  },

  async setSecret(userId, secret, expectedVersion) {
    return notWritten("accounts.setSecret");
  },

  async rehash(userId, secret, newSecret) {
    return notWritten("accounts.rehash");
  },

  async rename(userId, loginName, confusableKey) {
    return notWritten("accounts.rename");
  },

  async setEmail(userId, email) {
    return notWritten("accounts.setEmail");
  },

  async setDisabled(userId, disabled) {
    return notWritten("accounts.setDisabled");
  },

  async remove(userIds) {
    return notWritten("accounts.remove");
  },

  async list(after, limit) {
    return notWritten("accounts.list");
  },
});
