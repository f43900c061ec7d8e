export type {
  Configuration,
  DatabaseConfiguration,
  EmbeddedStorage,
  ModuleStorage,
  PoolConfiguration,
  ServerStorage,
  StorageConfiguration,
} from "./configuration.ts";
export { didYouMean } from "./checks/did-you-mean.ts";
export { ConfigurationError, type Fault } from "./configuration-error.ts";
export { type ConfigurationField, configurationFields } from "./configuration-fields.ts";
export { type ConfigurationSources, loadConfiguration } from "./load-configuration.ts";
export { isOnServer } from "./databases/storage-of.ts";
export { demoDatabases, demoMacros } from "./demo-databases.ts";
export { demoNote } from "./demo-note.ts";
export { isDebugging } from "./is-debugging.ts";
export { maskedConfiguration, maskedUrl } from "./masked-configuration.ts";
export { readModelFile } from "./model-file.ts";
export { isLoopbackHost } from "./schema/network-texts.ts";
