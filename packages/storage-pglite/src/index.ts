export { holdsDatabase } from "./directory/prepare-cluster.ts";
export type { EmbeddedEngine, EmbeddedEngineOptions } from "./embedded-engine.ts";
export { EngineStoppedError } from "./engine-stopped-error.ts";
export { DirectoryLockedError, type LockHolder } from "./lock/directory-locked-error.ts";
export { openEmbeddedEngine } from "./open-embedded-engine.ts";
export { joinEmbeddedEngine, type JoinedEngine, type JoinOptions } from "./sharing/join-embedded-engine.ts";
export { StatementTimeoutError } from "./statement-timeout-error.ts";
