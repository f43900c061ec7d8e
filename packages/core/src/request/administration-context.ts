import type { AuditEvent } from "@sallyport/storage";
import { type ChangeToAudit, operatorEvent } from "./audit-events.ts";
import type { Database } from "./database.ts";
import type { UnadmittedContext } from "./request-context.ts";

/** The context of an administrative use case: a database, and the author of the changes. */
export interface AdministrationContext extends Pick<UnadmittedContext, "database" | "r" | "unit"> {
  /** Creates the audit event of a change, with its author. */
  readonly eventOf: (change: ChangeToAudit) => AuditEvent;
}

/** Returns the context of work without a request, such as a CLI command. */
export function administrationOf(database: Database): AdministrationContext {
  return { database, r: database.storage.repositories, unit: database.unit, eventOf: operatorEvent };
}
