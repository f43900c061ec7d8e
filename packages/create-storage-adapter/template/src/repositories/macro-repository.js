import { notWritten } from "../not-written.js";

/** @type {(access: import("../access.js").Access) => import("@sallyport/core").MacroRepository} */
export const macroRepository = (access) => ({
  async load() {
    return notWritten("macros.load");
  },

  async put(macro, expectedVersion) {
    return notWritten("macros.put");
  },

  async remove(name, removal) {
    return notWritten("macros.remove");
  },

  async history(name, limit, below) {
    return notWritten("macros.history");
  },
});
