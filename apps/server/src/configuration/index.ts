export type {
  Configuration,
  DatabaseConfiguration,
  EmbeddedStorage,
  ModuleStorage,
  PoolConfiguration,
  ServerStorage,
  StorageConfiguration,
} from "./configuration.ts";
export { processorsPerWorker } from "./configuration.ts";
export { ConfigurationError, type Fault } from "./configuration-error.ts";
export { type ConfigurationField, configurationFields } from "./schema/configuration-schema.ts";
export { type ConfigurationSources, loadConfiguration } from "./load-configuration.ts";
export { isOnServer } from "./database-storage.ts";
export { demoDatabases, demoMacros, demoNote } from "./demo.ts";
export { folderProblem, forbiddenBecause, secretFileFaults, whyUnreadable } from "./file-access.ts";
export { isDebugging } from "./read-sources.ts";
export { maskedConfiguration, maskedUrl } from "./masked-configuration.ts";
export { restartSections } from "./restart-sections.ts";
export { readModelFile } from "./model-file.ts";
export { faultOfAddress, isLoopbackHost, listenerAddress } from "./schema/network-texts.ts";
