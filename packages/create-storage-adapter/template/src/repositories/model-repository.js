import { notImplemented } from "../not-implemented.js";

/** @type {(access: import("../access.js").Access) => import("@sallyport/storage").ModelRepository} */
export const modelRepository = (access) => ({
  async load() {
    return notImplemented("model.load");
  },

  async lock() {
    return notImplemented("model.lock");
  },

  async change(delta, expectedGeneration) {
    return notImplemented("model.change");
  },
});
