export { allParts, type Part } from "./all-parts.ts";
export type { Attempt } from "./attempt.ts";
export { capabilityWords, type StorageCapabilities } from "./storage-capabilities.ts";
export type { OpenStorage } from "./open-storage.ts";
export type { JointRepositories, Repositories } from "./repositories.ts";
export { acceptStorable, isStorableText } from "./storable-text.ts";
export type { MigrationReport, Storage } from "./storage.ts";
