import { notWritten } from "../not-written.js";

/** @type {(access: import("../access.js").Access) => import("@sallyport/core").IdentityLinkRepository} */
export const identityLinkRepository = (access) => ({
  async find(identity) {
    return notWritten("identityLinks.find");
  },

  async create(link) {
    return notWritten("identityLinks.create");
  },

  async ofUser(userId) {
    return notWritten("identityLinks.ofUser");
  },

  async remove(selector) {
    return notWritten("identityLinks.remove");
  },

  async list(after, limit) {
    return notWritten("identityLinks.list");
  },
});
