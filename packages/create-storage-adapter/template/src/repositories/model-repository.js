import { notWritten } from "../not-written.js";

/** @type {(access: import("../access.js").Access) => import("@sallyport/core").ModelRepository} */
export const modelRepository = (access) => ({
  async load() {
    return notWritten("model.load");
  },

  async lock() {
    return notWritten("model.lock");
  },

  async change(delta, expectedGeneration) {
    return notWritten("model.change");
  },
});
