export { Database, type DatabasePolicy, type DatabaseSettings } from "./database.ts";
export { isEmptyDatabase } from "./is-empty-database.ts";
export { setMaintenance } from "./set-maintenance.ts";
export type { Settings, SettingsRepository } from "./settings-repository.ts";
