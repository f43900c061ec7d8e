import type { AccountRepository } from "../accounts/account-repository.ts";
import type { AdmissionRepository } from "../admission/admission-repository.ts";
import type { AppKeyRepository } from "../appkeys/app-key-repository.ts";
import type { AuditRepository } from "../audit/audit-repository.ts";
import type { ChangeRepository } from "../changes/change-repository.ts";
import type { ChannelRepository } from "../channels/channel-repository.ts";
import type { SettingsRepository } from "../databases/settings-repository.ts";
import type { DepartureRepository } from "../departures/departure-repository.ts";
import type { LockRepository } from "../locks/lock-repository.ts";
import type { ModelRepository } from "../model/model-repository.ts";
import type { ObjectRepository } from "../objects/object-repository.ts";
import type { RecordRepository } from "../records/record-repository.ts";
import type { SessionRepository } from "../sessions/session-repository.ts";
import type { ThrottleRepository } from "../throttle/throttle-repository.ts";

/** Everything that one database keeps. */
export interface Repositories {
  readonly admission: AdmissionRepository;
  readonly accounts: AccountRepository;
  readonly appKeys: AppKeyRepository;
  readonly audit: AuditRepository;
  readonly changes: ChangeRepository;
  readonly channels: ChannelRepository;
  readonly departures: DepartureRepository;
  readonly locks: LockRepository;
  readonly model: ModelRepository;
  readonly objects: ObjectRepository;
  readonly records: RecordRepository;
  readonly sessions: SessionRepository;
  readonly settings: SettingsRepository;
  readonly throttle: ThrottleRepository;
}

/** What can be asked for together: calls that need no answer on their way, and whose refusals are errors. */
export interface JointRepositories {
  readonly audit: Pick<AuditRepository, "append" | "tally">;
  readonly sessions: Pick<SessionRepository, "open">;
  readonly throttle: Pick<ThrottleRepository, "fail" | "pass">;
}
