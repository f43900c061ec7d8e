export type { ExchangeOptions } from "./exchange.ts";
export type { Conflict, ConflictHandler, Decision } from "./conflicts.ts";
export type {
  FieldConflict,
  PendingNotices,
  MergedEdit,
  Notices,
  RefusedEdit,
  TakenBackEdit,
} from "./notices.ts";
export type { Fields, HeldChange, PendingChange } from "./object-state.ts";
export { type KeyRange, memoryStorage, type Snapshot, type SyncStorage } from "./storage.ts";
export { type PostponedEdit, sync, type SyncOptions, type SyncProgress, type SyncReport } from "./sync.ts";
export {
  type DeviceEntry,
  type DeviceObject,
  type QueuedChange,
  type StoreChange,
  SyncStore,
  type SyncStoreOptions,
} from "./sync-store.ts";
