import { statement } from "../../../statement.ts";
import type { SessionStatements } from "../../../knex-session-repository.ts";
import type { Tables } from "../tables.ts";
import { storageTime } from "./storage-time.ts";

export function sessionStatements({ openSession, sessions }: Tables): SessionStatements {
  const live = `expires_at > ${storageTime(2)} as live`;
  const endAll = (column: string) =>
    `delete from ${sessions} where ${column} = $1 and not digest <=> $3 returning ${live}`;
  return {
    open: statement(
      "session_open",
      `call ${openSession}($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)`,
    ),
    endOne: statement("session_end", `delete from ${sessions} where digest = $1 returning ${live}`),
    endAllOfUser: statement("session_end_user", endAll("user_id")),
    endAllOfCustomAccount: statement("session_end_custom", endAll("custom_account")),
    endAllOfLink: statement("session_end_link", endAll("link_id")),
    renew: statement(
      "session_renew",
      `update ${sessions} set secret_version = if(custom_account is null, $3, secret_version), custom_version = if(custom_account is null, custom_version, $3)
      where digest = $1 and expires_at > ${storageTime(2)}`,
    ),
    count: statement("session_count", `select count(*) as count from ${sessions} where expires_at > ${storageTime(1)}`),
    sweep: statement(
      "session_sweep",
      `delete from ${sessions} where expires_at <= ${storageTime(2)} order by expires_at limit $1 returning 1 as \`all\``,
    ),
  };
}
