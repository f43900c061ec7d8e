export { Database, type DatabasePolicy, type DatabaseSettings } from "./database.ts";
export type { DatabaseContents, MaintenanceSwitch } from "./database-contents.ts";
