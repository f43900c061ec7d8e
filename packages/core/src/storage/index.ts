export type { Repositories } from "./repositories.ts";
export type { MigrationReport, Storage, StorageCapabilities } from "./storage.ts";
