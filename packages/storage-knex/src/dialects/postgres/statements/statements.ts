import type { AccountStatements } from "../../../knex-account-repository.ts";
import type { AdmissionStatements } from "../../../knex-admission-repository.ts";
import type { AppKeyStatements } from "../../../knex-app-key-repository.ts";
import type { ApplicationStatements } from "../../../knex-application-repository.ts";
import type { AuditStatements } from "../../../knex-audit-repository.ts";
import type { ChannelStatements, CipherBlockStatements } from "../../../knex-channel-repository.ts";
import type { ContentsStatements } from "../../../knex-database-contents.ts";
import type { CustomAccountStatements } from "../../../knex-custom-account-repository.ts";
import type { IdentityLinkStatements } from "../../../knex-identity-link-repository.ts";
import type { KeyStatements } from "../../../knex-key-repository.ts";
import type { MacroStatements } from "../../../knex-macro-repository.ts";
import type { OneTimeStatements } from "../../../knex-one-time-repository.ts";
import type { OutboxStatements } from "../../../knex-outbox-repository.ts";
import type { PasswordHistoryStatements } from "../../../knex-password-history-repository.ts";
import type { ProviderStatements } from "../../../knex-provider-repository.ts";
import type { SecondFactorStatements } from "../../../knex-second-factor-repository.ts";
import type { SessionStatements } from "../../../knex-session-repository.ts";
import type { ThrottleStatements } from "../../../knex-throttle-repository.ts";
import type { Tables } from "../tables.ts";
import { accountStatements } from "./account-statements.ts";
import {
  admissionStatements,
  appKeyStatements,
  applicationStatements,
  sessionStatements,
} from "./admission-statements.ts";
import { auditStatements } from "./audit-statements.ts";
import { type ChangeStatements, changeStatements } from "./change-statements.ts";
import { channelStatements, cipherBlockStatements, keyStatements } from "./channel-statements.ts";
import {
  contentsStatements,
  macroStatements,
  oneTimeStatements,
  outboxStatements,
  providerStatements,
} from "./record-statements.ts";
import { customAccountStatements } from "./custom-account-statements.ts";
import { type DepartureStatements, departureStatements } from "./departure-statements.ts";
import { type IndexStatements, indexStatements } from "./index-statements.ts";
import { identityLinkStatements } from "./identity-link-statements.ts";
import {
  type LockStatements,
  lockStatements,
  type ModelStatements,
  modelStatements,
  type ObjectStatements,
  objectStatements,
} from "./object-statements.ts";
import { passwordHistoryStatements } from "./password-history-statements.ts";
import { secondFactorStatements } from "./second-factor-statements.ts";
import { throttleStatements } from "./throttle-statements.ts";

/** The statements of one schema. */
export interface Statements {
  readonly accounts: AccountStatements;
  readonly admission: AdmissionStatements;
  readonly appKeys: AppKeyStatements;
  readonly applications: ApplicationStatements;
  readonly audit: AuditStatements;
  readonly changes: ChangeStatements;
  readonly channels: ChannelStatements;
  readonly cipherBlocks: CipherBlockStatements;
  readonly contents: ContentsStatements;
  readonly customAccounts: CustomAccountStatements;
  readonly departures: DepartureStatements;
  readonly indexes: IndexStatements;
  readonly identityLinks: IdentityLinkStatements;
  readonly identityProviders: ProviderStatements;
  readonly keys: KeyStatements;
  readonly locks: LockStatements;
  readonly macros: MacroStatements;
  readonly model: ModelStatements;
  readonly objects: ObjectStatements;
  readonly oneTime: OneTimeStatements;
  readonly outbox: OutboxStatements;
  readonly passwordHistory: PasswordHistoryStatements;
  readonly secondFactors: SecondFactorStatements;
  readonly sessions: SessionStatements;
  readonly throttle: ThrottleStatements;
}

export function statementsOf(tables: Tables): Statements {
  return {
    accounts: accountStatements(tables),
    admission: admissionStatements(tables),
    appKeys: appKeyStatements(tables),
    applications: applicationStatements(tables),
    audit: auditStatements(tables),
    changes: changeStatements(tables),
    channels: channelStatements(tables),
    cipherBlocks: cipherBlockStatements(tables),
    contents: contentsStatements(tables),
    customAccounts: customAccountStatements(tables),
    departures: departureStatements(tables),
    indexes: indexStatements(tables),
    identityLinks: identityLinkStatements(tables),
    identityProviders: providerStatements(tables),
    keys: keyStatements(tables),
    locks: lockStatements(tables),
    macros: macroStatements(tables),
    model: modelStatements(tables),
    objects: objectStatements(tables),
    oneTime: oneTimeStatements(tables),
    outbox: outboxStatements(tables),
    passwordHistory: passwordHistoryStatements(tables),
    secondFactors: secondFactorStatements(tables),
    sessions: sessionStatements(tables),
    throttle: throttleStatements(tables),
  };
}
