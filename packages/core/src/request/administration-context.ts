import type { AuditEvent } from "../storage/index.ts";
import { type ChangeToAudit, operatorEvent } from "./audit-events.ts";
import type { Database } from "./database.ts";
import type { ArrivingContext } from "./request-context.ts";

/** What a use case of administration works with: a database, and who administers it. */
export interface AdministrationContext extends Pick<ArrivingContext, "database" | "r" | "unit"> {
  /** What the audit keeps of a change, with who made it. */
  readonly eventOf: (change: ChangeToAudit) => AuditEvent;
}

/** The context of a command of the server, which no request asks for. */
export function administrationOf(database: Database): AdministrationContext {
  return { database, r: database.storage.repositories, unit: database.unit, eventOf: operatorEvent };
}
