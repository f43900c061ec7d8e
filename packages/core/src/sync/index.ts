export * from "./broken-schemas.ts";
export { type After, ChangeWatch, type OnEnd } from "./change-watch.ts";
export * from "./list-schemas.ts";
export * from "./pull-changes.ts";
export { type AppliedChange, applyChange, applyChanges, type Push } from "./push/apply-changes.ts";
export {
  type PushedChange,
  type SyncDeletion,
  syncDeletionKind,
  changeResultKind,
} from "./push/change-results.ts";
export {
  pushChanges,
  type PushInput,
  type PushOptions,
  type PushResult,
} from "./push/push-changes.ts";
export * from "./put-schema.ts";
export * from "./schema-view.ts";
export type { PushServices } from "./push/change-writer.ts";
export { syncFailure } from "./sync-failure.ts";
export * from "./sync-objects.ts";
export * from "./sync-schema.ts";
export {
  isSyncEnabled,
  readSync,
  type RequiredSchema,
  restartSync,
  storedSchemas,
  SyncSchemas,
  type SyncState,
} from "./sync-schemas.ts";
export * from "./sync-version.ts";
export * from "./push/device-change.ts";
export { type ChangeInput, type SyncTarget, putSynced, deleteSynced } from "./push/write-synced.ts";
