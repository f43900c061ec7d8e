export { Database, type DatabasePolicy, type DatabaseSettings } from "./database.ts";
export type { DatabaseContents } from "./database-contents.ts";
export type { MaintenanceSwitch } from "./maintenance-switch.ts";
