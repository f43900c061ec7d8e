import { notWritten } from "../not-written.js";

/** @type {(access: import("../access.js").Access) => import("@sallyport/core").MaintenanceSwitch} */
export const maintenanceSwitch = (access) => ({
  async set(on) {
    return notWritten("maintenance.set");
  },
});
