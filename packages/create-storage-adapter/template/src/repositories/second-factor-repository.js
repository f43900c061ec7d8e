import { notWritten } from "../not-written.js";

/** @type {(access: import("../access.js").Access) => import("@sallyport/core").SecondFactorRepository} */
export const secondFactorRepository = (access) => ({
  async find(subject, appNames) {
    return notWritten("secondFactors.find");
  },

  async enrol(factor) {
    return notWritten("secondFactors.enrol");
  },

  async accept(factor, step) {
    return notWritten("secondFactors.accept");
  },

  async recover(factor, code) {
    return notWritten("secondFactors.recover");
  },

  async remove(subject, appName) {
    return notWritten("secondFactors.remove");
  },

  async list(after, limit) {
    return notWritten("secondFactors.list");
  },
});
