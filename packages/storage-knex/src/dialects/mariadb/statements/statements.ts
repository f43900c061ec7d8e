import type { AccountStatements } from "../../../knex-account-repository.ts";
import type { AdmissionStatements } from "../../../knex-admission-repository.ts";
import type { AppKeyStatements } from "../../../knex-app-key-repository.ts";
import type { AuditStatements } from "../../../knex-audit-repository.ts";
import type { ChannelStatements, CipherBlockStatements } from "../../../knex-channel-repository.ts";
import type { SettingsStatements } from "../../../knex-settings-repository.ts";
import type { RecordStatements } from "../../../knex-record-repository.ts";
import type { SessionStatements } from "../../../knex-session-repository.ts";
import type { ThrottleStatements } from "../../../knex-throttle-repository.ts";
import type { Tables } from "../tables.ts";
import { accountStatements } from "./account-statements.ts";
import { admissionStatements } from "./admission-statements.ts";
import { appKeyStatements } from "./app-key-statements.ts";
import { auditStatements } from "./audit-statements.ts";
import { type ChangeStatements, changeStatements } from "./change-statements.ts";
import { channelStatements } from "./channel-statements.ts";
import { cipherBlockStatements } from "./cipher-block-statements.ts";
import { type LockStatements, lockStatements } from "./lock-statements.ts";
import { type ModelStatements, modelStatements, settingsStatements } from "./model-statements.ts";
import { recordStatements } from "./record-statements.ts";
import { sessionStatements } from "./session-statements.ts";
import { throttleStatements } from "./throttle-statements.ts";
import { type WritingStatements, writingStatements } from "./writing-statements.ts";

/** The statements of one database. */
export interface Statements {
  readonly accounts: AccountStatements;
  readonly admission: AdmissionStatements;
  readonly appKeys: AppKeyStatements;
  readonly audit: AuditStatements;
  readonly channels: ChannelStatements;
  readonly changes: ChangeStatements;
  readonly cipherBlocks: CipherBlockStatements;
  readonly settings: SettingsStatements;
  readonly locks: LockStatements;
  readonly model: ModelStatements;
  readonly records: RecordStatements;
  readonly sessions: SessionStatements;
  readonly throttle: ThrottleStatements;
  readonly writing: WritingStatements;
}

export function statementsOf(tables: Tables): Statements {
  return {
    accounts: accountStatements(tables),
    admission: admissionStatements(tables),
    appKeys: appKeyStatements(tables),
    audit: auditStatements(tables),
    channels: channelStatements(tables),
    changes: changeStatements(tables),
    cipherBlocks: cipherBlockStatements(tables),
    settings: settingsStatements(tables),
    locks: lockStatements(tables),
    model: modelStatements(tables),
    records: recordStatements(tables),
    sessions: sessionStatements(tables),
    throttle: throttleStatements(tables),
    writing: writingStatements(tables),
  };
}
