export type { JointRepositories, Repositories } from "./repositories.ts";
export { acceptStorable, isStorableText } from "./storable-text.ts";
export type { MigrationReport, Storage, StorageCapabilities } from "./storage.ts";
