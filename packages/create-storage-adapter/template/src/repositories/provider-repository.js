import { notWritten } from "../not-written.js";

/** @type {(access: import("../access.js").Access) => import("@sallyport/core").ProviderRepository} */
export const providerRepository = (access) => ({
  async find(type) {
    return notWritten("identityProviders.find");
  },

  async put(entry) {
    return notWritten("identityProviders.put");
  },

  async remove(type) {
    return notWritten("identityProviders.remove");
  },

  async list() {
    return notWritten("identityProviders.list");
  },
});
