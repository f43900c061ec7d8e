import { statement } from "../../../statement.ts";
import type { PasswordHistoryStatements } from "../../../knex-password-history-repository.ts";
import type { Tables } from "../tables.ts";

export function passwordHistoryStatements({ passwordHistory }: Tables): PasswordHistoryStatements {
  return {
    latest: statement(
      "password_history_latest",
      `select secret from ${passwordHistory} where subject = $1::text order by position desc limit $2::bigint`,
    ),
    add: statement(
      "password_history_add",
      `insert into ${passwordHistory} (subject, secret) values ($1::text, $2::text)`,
    ),
    beyond: statement(
      "password_history_beyond",
      `select position from ${passwordHistory} where subject = $1::text order by position desc offset $2::bigint`,
    ),
    forget: statement("password_history_forget", `delete from ${passwordHistory} where position = $1::bigint`),
  };
}
