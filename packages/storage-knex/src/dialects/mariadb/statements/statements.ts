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
import { admissionStatements } from "./admission-statements.ts";
import { appKeyStatements } from "./app-key-statements.ts";
import { applicationStatements } from "./application-statements.ts";
import { auditStatements } from "./audit-statements.ts";
import { type ChangeStatements, changeStatements } from "./change-statements.ts";
import { channelStatements } from "./channel-statements.ts";
import { cipherBlockStatements } from "./cipher-block-statements.ts";
import { contentsStatements } from "./contents-statements.ts";
import { customAccountStatements } from "./custom-account-statements.ts";
import { identityLinkStatements } from "./identity-link-statements.ts";
import { keyStatements } from "./key-statements.ts";
import { type LockStatements, lockStatements } from "./lock-statements.ts";
import { macroStatements } from "./macro-statements.ts";
import { type ModelStatements, modelStatements } from "./model-statements.ts";
import { oneTimeStatements } from "./one-time-statements.ts";
import { outboxStatements } from "./outbox-statements.ts";
import { passwordHistoryStatements } from "./password-history-statements.ts";
import { providerStatements } from "./provider-statements.ts";
import { secondFactorStatements } from "./second-factor-statements.ts";
import { sessionStatements } from "./session-statements.ts";
import { throttleStatements } from "./throttle-statements.ts";
import { type WritingStatements, writingStatements } from "./writing-statements.ts";

/** The statements of one database. */
export interface Statements {
  readonly accounts: AccountStatements;
  readonly admission: AdmissionStatements;
  readonly appKeys: AppKeyStatements;
  readonly applications: ApplicationStatements;
  readonly audit: AuditStatements;
  readonly channels: ChannelStatements;
  readonly changes: ChangeStatements;
  readonly cipherBlocks: CipherBlockStatements;
  readonly contents: ContentsStatements;
  readonly customAccounts: CustomAccountStatements;
  readonly identityLinks: IdentityLinkStatements;
  readonly identityProviders: ProviderStatements;
  readonly keys: KeyStatements;
  readonly locks: LockStatements;
  readonly macros: MacroStatements;
  readonly model: ModelStatements;
  readonly oneTime: OneTimeStatements;
  readonly outbox: OutboxStatements;
  readonly passwordHistory: PasswordHistoryStatements;
  readonly secondFactors: SecondFactorStatements;
  readonly sessions: SessionStatements;
  readonly throttle: ThrottleStatements;
  readonly writing: WritingStatements;
}

export function statementsOf(tables: Tables): Statements {
  return {
    accounts: accountStatements(tables),
    admission: admissionStatements(tables),
    appKeys: appKeyStatements(tables),
    applications: applicationStatements(tables),
    audit: auditStatements(tables),
    channels: channelStatements(tables),
    changes: changeStatements(tables),
    cipherBlocks: cipherBlockStatements(tables),
    contents: contentsStatements(tables),
    customAccounts: customAccountStatements(tables),
    identityLinks: identityLinkStatements(tables),
    identityProviders: providerStatements(tables),
    keys: keyStatements(tables),
    locks: lockStatements(tables),
    macros: macroStatements(tables),
    model: modelStatements(tables),
    oneTime: oneTimeStatements(tables),
    outbox: outboxStatements(tables),
    passwordHistory: passwordHistoryStatements(tables),
    secondFactors: secondFactorStatements(tables),
    sessions: sessionStatements(tables),
    throttle: throttleStatements(tables),
    writing: writingStatements(tables),
  };
}
