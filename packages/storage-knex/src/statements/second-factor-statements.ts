import type { Statement } from "../statement.ts";

/** Factors are rows of `subject`, `app_name`, `sealed_secret`, `confirmed`, `last_step`, `recovery_codes`, by subject and app name. */
export interface SecondFactorStatements {
  /** 1 subject, 2 array of app names. */
  readonly find: Statement;
  /** 1 subject, 2 app name, 3 sealed secret, 4 recovery codes as JSON. Changes nothing if there is a confirmed one. */
  readonly enrol: Statement;
  /** 1 subject, 2 app name, 3 sealed secret. A row if the factor has that secret. */
  readonly has: Statement;
  /** 1 subject, 2 app name, 3 sealed secret, 4 step. Changes the row if the step is later than the last one. */
  readonly accept: Statement;
  /** 1 subject, 2 app name, 3 digest. Changes the row if the code is one of those that are left. */
  readonly recover: Statement;
  /** 1 subject, 2 app name or null. Removes the rows. */
  readonly remove: Statement;
  /** 1 subject and 2 app name to begin behind, or null, 3 limit. */
  readonly list: Statement;
}

export interface SecondFactorRow {
  readonly subject: string;
  readonly app_name: string;
  readonly sealed_secret: string;
  readonly confirmed: boolean;
  readonly last_step: string | number;
  readonly recovery_codes: string[];
}
