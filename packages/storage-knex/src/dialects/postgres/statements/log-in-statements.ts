import { type Statement, statement } from "../../../statement.ts";
import type { Tables } from "../tables.ts";

/** What every log-in looks up. */
export interface LogInStatements {
  /** 1 login name. */
  readonly accountByName: Statement;
  /** 1 array of app names. */
  readonly knownApplications: Statement;
}

export function logInStatements({ accounts, applications }: Tables): LogInStatements {
  return {
    accountByName: statement(
      "account_by_name",
      `select user_id, login_name, secret, secret_version, administrator, disabled from ${accounts} where login_name = $1::text`,
    ),
    knownApplications: statement("applications_known", `select name from ${applications} where name = any ($1::text[])`),
  };
}
