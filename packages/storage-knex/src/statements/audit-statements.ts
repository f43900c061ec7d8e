import type { AuditEvent } from "@sallyport/core";
import type { Statement } from "../statement.ts";

export interface AuditStatements {
  /** 1 type, 2 request, 3 outcome, 4 app key, 5 user, 6 address, 7 app names, 8 class or null, 9 macro or null, 10 provider or null, 11 offset of the clock. */
  readonly append: Statement;
  /** The same, and 12 key. */
  readonly tally: Statement;
  /** 1 least age, 2 limit, 3 offset of the clock. */
  readonly settle: Statement;
  /** 1 sequence to begin after, 2 limit. */
  readonly read: Statement;
  /** 1 least age, 2 limit, 3 offset of the clock. */
  readonly sweep: Statement;
}

export interface AuditRow {
  readonly sequence: string;
  readonly at: string;
  readonly since: string;
  readonly attempts: string;
  readonly type: AuditEvent["type"];
  readonly request_id: string;
  readonly outcome: AuditEvent["outcome"];
  readonly app_key_id: string;
  readonly user_id: string | null;
  readonly address: string;
  readonly app_names: string[];
  readonly class_name: string | null;
  readonly macro_name: string | null;
  readonly provider_name: AuditEvent["providerName"];
}
