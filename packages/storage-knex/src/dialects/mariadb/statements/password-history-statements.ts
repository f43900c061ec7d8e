import { statement } from "../../../statement.ts";
import type { PasswordHistoryStatements } from "../../../knex-password-history-repository.ts";
import type { Tables } from "../tables.ts";

export function passwordHistoryStatements({ passwordHistory }: Tables): PasswordHistoryStatements {
  return {
    latest: statement(
      "password_history_latest",
      `select secret from ${passwordHistory} where subject = $1 order by position desc limit $2`,
    ),
    add: statement("password_history_add", `insert into ${passwordHistory} (subject, secret) values ($1, $2)`),
    // Whatever is to be forgotten is looked for without locks: a deletion that looks for itself waits for what others have just added, and they for this one.
    beyond: statement(
      "password_history_beyond",
      `select position from ${passwordHistory} where subject = $1 order by position desc limit $2, 1000000`,
    ),
    forget: statement("password_history_forget", `delete from ${passwordHistory} where position = $1`),
  };
}
