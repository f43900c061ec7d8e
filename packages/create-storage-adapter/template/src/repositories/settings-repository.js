import { notWritten } from "../not-written.js";

/** @type {(access: import("../access.js").Access) => import("@sallyport/core").SettingsRepository} */
export const settingsRepository = (access) => ({
  async read() {
    return notWritten("settings.read");
  },

  async setMaintenance(on) {
    return notWritten("settings.setMaintenance");
  },

  async raiseMacroGeneration() {
    return notWritten("settings.raiseMacroGeneration");
  },

  async isEmpty() {
    return notWritten("settings.isEmpty");
  },
});
