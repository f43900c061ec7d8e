import { notImplemented } from "../not-implemented.js";

/** @type {(access: import("../access.js").Access) => import("@sallyport/storage").SettingsRepository} */
export const settingsRepository = (access) => ({
  async read() {
    return notImplemented("settings.read");
  },

  async setMaintenance(on) {
    return notImplemented("settings.setMaintenance");
  },

  async raise() {
    return notImplemented("settings.raise");
  },

  async isEmpty() {
    return notImplemented("settings.isEmpty");
  },
});
