export {
  type Account,
  type AccountChange,
  type AccountId,
  type AccountRepository,
  type AccountSelector,
  type FoundAccount,
  type ListedAccount,
  type NewAccount,
  type Person,
  type Realm,
  realmOf,
} from "./account-repository.ts";
export {
  type Admission,
  type AdmissionRepository,
  type AdmissionRequest,
  refuseMaintenance,
  type ReturnAdmission,
} from "./admission-repository.ts";
export { allParts, type Part } from "./all-parts.ts";
export { anyPort, type AppKey, type AppKeyRepository, listingsOf, type NewAppKey } from "./app-key-repository.ts";
export type { Attempt } from "./attempt.ts";
export {
  type AuditEvent,
  type AuditEventType,
  type AuditRepository,
  type RecordedAuditEvent,
  tallyTime,
} from "./audit-repository.ts";
export { changeRecord } from "./change-record.ts";
export { beforeAllChanges, type Change, type ChangePosition, type ChangeRepository } from "./change-repository.ts";
export {
  type BlockClaim,
  type BlockLimits,
  type BlockVerdict,
  type Channel,
  type ChannelRepository,
  type MessageVerdict,
  messageWindow,
} from "./channel-repository.ts";
export type {
  Departure,
  DepartureRepository,
  HeldObject,
  Leaving,
  LinkTarget,
  RecycledRoot,
  RecyclerQuery,
  Referrer,
  ReferrerQuery,
  Restoration,
} from "./departure-repository.ts";
export type { Lock, LockRepository } from "./lock-repository.ts";
export type { ModelDelta, ModelRepository, StoredModel } from "./model-repository.ts";
export type { ObjectKeys, ObjectRepository } from "./object-repository.ts";
export type { OpenStorage } from "./open-storage.ts";
export type {
  ClaimedRecord,
  PutOptions,
  PutOutcome,
  PutWithinOptions,
  PutWithinOutcome,
  RecordCount,
  RecordKind,
  RecordRepository,
  RecordRoom,
  RecordValue,
  Settlement,
  StoredRecord,
} from "./record-repository.ts";
export type { JointRepositories, Repositories } from "./repositories.ts";
export type { SessionRepository, SessionSelector } from "./session-repository.ts";
export type { Settings, SettingsRepository } from "./settings-repository.ts";
export { acceptStorable, isStorable, isStorableText } from "./storable-text.ts";
export { capabilityWords, type StorageCapabilities } from "./storage-capabilities.ts";
export type { AttributeIndex, IndexReport, MigrationReport, Storage } from "./storage.ts";
export {
  delayAfter,
  type ExemptionGrant,
  exemptionRenewal,
  takeTurn,
  type ThrottleExemption,
  type ThrottleKey,
  type ThrottlePolicy,
  type ThrottleRepository,
  type ThrottleVerdict,
} from "./throttle-repository.ts";
export {
  type ArchivePart,
  type ArchiveRecord,
  type ArchiveSection,
  archiveSections,
  contradictingRecords,
  inParts,
  largestPart,
  type RecordOf,
  type StorageArchive,
} from "./storage-archive.ts";
export * from "./entities/index.ts";
