import { notWritten } from "../not-written.js";

/** @type {(access: import("../access.js").Access) => import("@sallyport/core").CustomAccountRepository} */
export const customAccountRepository = (access) => ({
  async forProof(loginName) {
    return notWritten("customAccounts.forProof");
  },

  async find(id) {
    return notWritten("customAccounts.find");
  },

  async create(account, confusableKey) {
    return notWritten("customAccounts.create");
  },

  async setSecret(id, secret, expectedVersion) {
    return notWritten("customAccounts.setSecret");
  },

  async rehash(id, secret, newSecret) {
    return notWritten("customAccounts.rehash");
  },

  async request(id, pending, expectedVersion) {
    return notWritten("customAccounts.request");
  },

  async confirm(id, code) {
    return notWritten("customAccounts.confirm");
  },

  async setEmail(id, email) {
    return notWritten("customAccounts.setEmail");
  },

  async setUser(id, userId) {
    return notWritten("customAccounts.setUser");
  },

  async setDisabled(id, disabled) {
    return notWritten("customAccounts.setDisabled");
  },

  async remove(id) {
    return notWritten("customAccounts.remove");
  },

  async list(after, limit) {
    return notWritten("customAccounts.list");
  },
});
