export { containsDatabase } from "./cluster/cluster-directory.ts";
export {
  type EmbeddedEngine,
  type EmbeddedEngineOptions,
  openEmbeddedEngine,
  preparedSchemas,
} from "./embedded-engine.ts";
export { EngineStoppedError, StatementTimeoutError } from "./engine-errors.ts";
export { DirectoryLockedError, type LockHolder } from "./lock/directory-lock.ts";
export { joinEmbeddedEngine, type JoinedEngine, type JoinOptions } from "./joined-engine.ts";
