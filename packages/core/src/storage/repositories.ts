import type { AccountRepository } from "../accounts/account-repository.ts";
import type { AdmissionRepository } from "../admission/admission-repository.ts";
import type { AppKeyRepository } from "../appkeys/app-key-repository.ts";
import type { ApplicationRepository } from "../appkeys/application-repository.ts";
import type { AuditRepository } from "../audit/audit-repository.ts";
import type { ChangeRepository } from "../changes/change-repository.ts";
import type { ChannelRepository } from "../channels/channel-repository.ts";
import type { CustomAccountRepository } from "../custom-users/custom-account-repository.ts";
import type { DatabaseContents, MaintenanceSwitch } from "../databases/database-contents.ts";
import type { DepartureRepository } from "../departures/departure-repository.ts";
import type { IdentityLinkRepository } from "../identities/identity-link-repository.ts";
import type { ProviderRepository } from "../identities/provider-repository.ts";
import type { KeyRepository } from "../keys/key-repository.ts";
import type { LockRepository } from "../locks/lock-repository.ts";
import type { MacroRepository } from "../macros/macro-repository.ts";
import type { OutboxRepository } from "../mail/outbox-repository.ts";
import type { ModelRepository } from "../model/model-repository.ts";
import type { ObjectRepository } from "../objects/object-repository.ts";
import type { OneTimeRepository } from "../one-time/one-time-repository.ts";
import type { PasswordHistoryRepository } from "../passwords/password-history-repository.ts";
import type { SecondFactorRepository } from "../second-factors/second-factor-repository.ts";
import type { SessionRepository } from "../sessions/session-repository.ts";
import type { ThrottleRepository } from "../throttle/throttle-repository.ts";

/** Everything that one database keeps. */
export interface Repositories {
  readonly admission: AdmissionRepository;
  readonly accounts: AccountRepository;
  readonly appKeys: AppKeyRepository;
  readonly applications: ApplicationRepository;
  readonly audit: AuditRepository;
  readonly changes: ChangeRepository;
  readonly channels: ChannelRepository;
  readonly contents: DatabaseContents;
  readonly customAccounts: CustomAccountRepository;
  readonly departures: DepartureRepository;
  readonly identityLinks: IdentityLinkRepository;
  readonly identityProviders: ProviderRepository;
  readonly keys: KeyRepository;
  readonly locks: LockRepository;
  readonly macros: MacroRepository;
  readonly maintenance: MaintenanceSwitch;
  readonly model: ModelRepository;
  readonly objects: ObjectRepository;
  readonly oneTime: OneTimeRepository;
  readonly outbox: OutboxRepository;
  readonly passwordHistory: PasswordHistoryRepository;
  readonly secondFactors: SecondFactorRepository;
  readonly sessions: SessionRepository;
  readonly throttle: ThrottleRepository;
}

/** What can be asked for together: calls that need no answer on their way, and whose refusals are errors. */
export interface JointRepositories {
  readonly audit: Pick<AuditRepository, "append" | "tally">;
  readonly sessions: Pick<SessionRepository, "open">;
  readonly throttle: Pick<ThrottleRepository, "fail" | "pass">;
}
