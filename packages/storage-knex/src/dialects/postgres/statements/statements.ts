import type { Tables } from "../tables.ts";
import { type AccountStatements, accountStatements } from "./account-statements.ts";
import { type AdmissionStatements, admissionStatements } from "./admission-statements.ts";
import { type AuditStatements, auditStatements } from "./audit-statements.ts";
import { type ChangeStatements, changeStatements } from "./change-statements.ts";
import { type ChannelStatements, channelStatements } from "./channel-statements.ts";
import { type CipherBlockStatements, cipherBlockStatements } from "./cipher-block-statements.ts";
import { type ContentsStatements, contentsStatements } from "./contents-statements.ts";
import { type DepartureStatements, departureStatements } from "./departure-statements.ts";
import { type IndexStatements, indexStatements } from "./index-statements.ts";
import { type KeyStatements, keyStatements } from "./key-statements.ts";
import { type LockStatements, lockStatements } from "./lock-statements.ts";
import { type LogInStatements, logInStatements } from "./log-in-statements.ts";
import { type ModelStatements, modelStatements } from "./model-statements.ts";
import { type ObjectStatements, objectStatements } from "./object-statements.ts";
import { type SessionStatements, sessionStatements } from "./session-statements.ts";
import { type ThrottleStatements, throttleStatements } from "./throttle-statements.ts";

/** The statements of one schema. */
export interface Statements {
  readonly accounts: AccountStatements;
  readonly admission: AdmissionStatements;
  readonly audit: AuditStatements;
  readonly changes: ChangeStatements;
  readonly channels: ChannelStatements;
  readonly cipherBlocks: CipherBlockStatements;
  readonly contents: ContentsStatements;
  readonly departures: DepartureStatements;
  readonly indexes: IndexStatements;
  readonly keys: KeyStatements;
  readonly locks: LockStatements;
  readonly logIn: LogInStatements;
  readonly model: ModelStatements;
  readonly objects: ObjectStatements;
  readonly sessions: SessionStatements;
  readonly throttle: ThrottleStatements;
}

export function statementsOf(tables: Tables): Statements {
  return {
    accounts: accountStatements(tables),
    admission: admissionStatements(tables),
    audit: auditStatements(tables),
    changes: changeStatements(tables),
    channels: channelStatements(tables),
    cipherBlocks: cipherBlockStatements(tables),
    contents: contentsStatements(tables),
    departures: departureStatements(tables),
    indexes: indexStatements(tables),
    keys: keyStatements(tables),
    locks: lockStatements(tables),
    logIn: logInStatements(tables),
    model: modelStatements(tables),
    objects: objectStatements(tables),
    sessions: sessionStatements(tables),
    throttle: throttleStatements(tables),
  };
}
