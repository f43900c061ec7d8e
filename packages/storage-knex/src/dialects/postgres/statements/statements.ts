import type { Tables } from "../tables.ts";
import { type AdmissionStatements, admissionStatements } from "./admission-statements.ts";
import { type AuditStatements, auditStatements } from "./audit-statements.ts";
import { type LogInStatements, logInStatements } from "./log-in-statements.ts";
import { type ModelStatements, modelStatements } from "./model-statements.ts";
import { type ObjectStatements, objectStatements } from "./object-statements.ts";
import { type SessionStatements, sessionStatements } from "./session-statements.ts";
import { type ThrottleStatements, throttleStatements } from "./throttle-statements.ts";

/** The statements of one schema. */
export interface Statements {
  readonly admission: AdmissionStatements;
  readonly audit: AuditStatements;
  readonly logIn: LogInStatements;
  readonly model: ModelStatements;
  readonly objects: ObjectStatements;
  readonly sessions: SessionStatements;
  readonly throttle: ThrottleStatements;
}

export function statementsOf(tables: Tables): Statements {
  return {
    admission: admissionStatements(tables),
    audit: auditStatements(tables),
    logIn: logInStatements(tables),
    model: modelStatements(tables),
    objects: objectStatements(tables),
    sessions: sessionStatements(tables),
    throttle: throttleStatements(tables),
  };
}
