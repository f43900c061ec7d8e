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
import { admissionStatements, appKeyStatements, sessionStatements } from "./admission-statements.ts";
import { auditStatements } from "./audit-statements.ts";
import { type ChangeStatements, changeStatements } from "./change-statements.ts";
import { channelStatements, cipherBlockStatements } from "./channel-statements.ts";
import { settingsStatements, recordStatements } from "./record-statements.ts";
import { type DepartureStatements, departureStatements } from "./departure-statements.ts";
import { type IndexStatements, indexStatements } from "./index-statements.ts";
import {
  type LockStatements,
  lockStatements,
  type ModelStatements,
  modelStatements,
  type ObjectStatements,
  objectStatements,
} from "./object-statements.ts";
import { throttleStatements } from "./throttle-statements.ts";

/** The statements of one schema. */
export interface Statements {
  readonly accounts: AccountStatements;
  readonly admission: AdmissionStatements;
  readonly appKeys: AppKeyStatements;
  readonly audit: AuditStatements;
  readonly changes: ChangeStatements;
  readonly channels: ChannelStatements;
  readonly cipherBlocks: CipherBlockStatements;
  readonly settings: SettingsStatements;
  readonly departures: DepartureStatements;
  readonly indexes: IndexStatements;
  readonly locks: LockStatements;
  readonly model: ModelStatements;
  readonly objects: ObjectStatements;
  readonly records: RecordStatements;
  readonly sessions: SessionStatements;
  readonly throttle: ThrottleStatements;
}

export function statementsOf(tables: Tables): Statements {
  return {
    accounts: accountStatements(tables),
    admission: admissionStatements(tables),
    appKeys: appKeyStatements(tables),
    audit: auditStatements(tables),
    changes: changeStatements(tables),
    channels: channelStatements(tables),
    cipherBlocks: cipherBlockStatements(tables),
    settings: settingsStatements(tables),
    departures: departureStatements(tables),
    indexes: indexStatements(tables),
    locks: lockStatements(tables),
    model: modelStatements(tables),
    objects: objectStatements(tables),
    records: recordStatements(tables),
    sessions: sessionStatements(tables),
    throttle: throttleStatements(tables),
  };
}
