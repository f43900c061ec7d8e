import { notWritten } from "../not-written.js";

/** @type {(access: import("../access.js").Access) => import("@sallyport/core").ModelRepository} */
export const modelRepository = (access) => ({
  async load() {
    return notWritten("model.load");
  },

  async hold() {
    return notWritten("model.hold");
  },

  async change(delta, expectedGeneration) {
    return notWritten("model.change");
  },
});
