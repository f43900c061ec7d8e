import { type Statement, statement } from "../../../statement.ts";
import type { Tables } from "../tables.ts";

export interface AccountStatements {
  /** 1 numbers of users. Returns whether their accounts were removed. */
  readonly remove: Statement;
}

export function accountStatements({ removeAccounts }: Tables): AccountStatements {
  return { remove: statement("account_remove", `select ${removeAccounts}($1::bigint[]) as removed`) };
}
