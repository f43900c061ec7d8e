import { statement } from "../../../statement.ts";
import type { PasswordHistoryStatements } from "../../../statements/password-history-statements.ts";
import type { Tables } from "../tables.ts";

export function passwordHistoryStatements({ passwordHistory }: Tables): PasswordHistoryStatements {
  const beyond = `select position from ${passwordHistory} where subject = $1 order by position desc limit $2, 1`;
  return {
    latest: statement("password_history_latest", `select secret from ${passwordHistory} where subject = $1 order by position desc limit $2`),
    add: statement("password_history_add", `insert into ${passwordHistory} (subject, secret) values ($1, $2)`),
    // The engine deletes from no table that the same statement selects from, unless that is a table of its own.
    prune: statement("password_history_prune", `delete from ${passwordHistory} where subject = $1 and position <= (select position from (${beyond}) beyond)`),
  };
}
