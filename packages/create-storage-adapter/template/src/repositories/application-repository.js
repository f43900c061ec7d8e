import { notWritten } from "../not-written.js";

/** @type {(access: import("../access.js").Access) => import("@sallyport/core").ApplicationRepository} */
export const applicationRepository = (access) => ({
  async create(application) {
    return notWritten("applications.create");
  },

  async known(names) {
    return notWritten("applications.known");
  },

  async askingForFactors(names) {
    return notWritten("applications.askingForFactors");
  },

  async setSecondFactor(name, rule) {
    return notWritten("applications.setSecondFactor");
  },

  async list(after, limit) {
    return notWritten("applications.list");
  },
});
