import type { AccountRepository } from "./account-repository.ts";
import type { AdmissionRepository } from "./admission-repository.ts";
import type { AppKeyRepository } from "./app-key-repository.ts";
import type { AuditRepository } from "./audit-repository.ts";
import type { ChannelRepository } from "./channel-repository.ts";
import type { DeletionRepository } from "./deletion-repository.ts";
import type { LockRepository } from "./lock-repository.ts";
import type { ModelRepository } from "./model-repository.ts";
import type { ObjectRepository } from "./object-repository.ts";
import type { RecordRepository } from "./record-repository.ts";
import type { SessionRepository } from "./session-repository.ts";
import type { SettingsRepository } from "./settings-repository.ts";
import type { ThrottleRepository } from "./throttle-repository.ts";

/** All repositories of one database. */
export interface Repositories {
  readonly admission: AdmissionRepository;
  readonly accounts: AccountRepository;
  readonly appKeys: AppKeyRepository;
  readonly audit: AuditRepository;
  readonly channels: ChannelRepository;
  readonly deletion: DeletionRepository;
  readonly locks: LockRepository;
  readonly model: ModelRepository;
  readonly objects: ObjectRepository;
  readonly records: RecordRepository;
  readonly sessions: SessionRepository;
  readonly settings: SettingsRepository;
  readonly throttle: ThrottleRepository;
}

/** Calls allowed in `Storage.batch`: they need no intermediate result and report refusals as errors. */
export interface BatchRepositories {
  readonly audit: Pick<AuditRepository, "append">;
  readonly sessions: Pick<SessionRepository, "open">;
  readonly throttle: Pick<ThrottleRepository, "fail" | "pass">;
}
