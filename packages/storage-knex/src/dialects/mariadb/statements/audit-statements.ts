import { statement } from "../../../statement.ts";
import type { AuditStatements } from "../../../knex-audit-repository.ts";
import type { Tables } from "../tables.ts";
import { epochMilliseconds, storageTime } from "./storage-time.ts";

const details =
  "type, request_id, outcome, app_key_id, user_id, address, app_names, class_name, macro_name, provider_name";

export function auditStatements({ audit, auditTallies, settleTallies, sweepAudit }: Tables): AuditStatements {
  const values = `$1, $2, $3, $4, $5, $6, $7, $8, $9, $10`;
  return {
    append: statement("audit_append", `insert into ${audit} (${details}, at) values (${values}, ${storageTime(11)})`),
    tally: statement(
      "audit_tally",
      `insert into ${auditTallies} (${details}, at, since, attempts, \`key\`) values (${values}, ${storageTime(11)}, ${storageTime(11)}, 1, $12)
      on duplicate key update attempts = attempts + 1, at = value(at)`,
    ),
    settle: statement("audit_settle", `call ${settleTallies}($1, $2, $3)`),
    read: statement(
      "audit_read",
      `select sequence, ${epochMilliseconds("at")} as at, ${epochMilliseconds("coalesce(since, at)")} as since, attempts, ${details}
      from ${audit} where sequence > $1 order by sequence limit $2`,
    ),
    sweep: statement("audit_sweep", `call ${sweepAudit}($1, $2, $3)`),
  };
}
