import { notWritten } from "../not-written.js";

/** @type {(access: import("../access.js").Access) => import("@sallyport/core").ApplicationRepository} */
export const applicationRepository = (access) => ({
  async create(application) {
    return notWritten("applications.create");
  },

  async known(names) {
    return notWritten("applications.known");
  },

  async list(after, limit) {
    return notWritten("applications.list");
  },
});
