import type { AuditEvent } from "@sallyport/core";
import { type Statement, statement } from "../../../statement.ts";
import type { Tables } from "../tables.ts";
import { epochMilliseconds, storageTime } from "./storage-time.ts";

export interface AuditStatements {
  /** 1 type, 2 request, 3 outcome, 4 app key, 5 user, 6 address, 7 app names, 8 offset of the clock. */
  readonly append: Statement;
  /** 1 sequence to begin after, 2 limit. */
  readonly read: Statement;
}

export interface AuditRow {
  readonly sequence: string;
  readonly at: string;
  readonly type: AuditEvent["type"];
  readonly request_id: string;
  readonly outcome: AuditEvent["outcome"];
  readonly app_key_id: string;
  readonly user_id: string | null;
  readonly address: string;
  readonly app_names: string[];
}

export function auditStatements({ audit }: Tables): AuditStatements {
  return {
    append: statement(
      "audit_append",
      `insert into ${audit} (type, request_id, outcome, app_key_id, user_id, address, app_names, at)
      values ($1::text, $2::text, $3::integer, $4::text, $5::bigint, $6::text, $7::jsonb, ${storageTime(8)})`,
    ),
    read: statement(
      "audit_read",
      `select sequence, ${epochMilliseconds("at")} as at, type, request_id, outcome, app_key_id, user_id, address, app_names
      from ${audit} where sequence > $1::bigint order by sequence limit $2::bigint`,
    ),
  };
}
