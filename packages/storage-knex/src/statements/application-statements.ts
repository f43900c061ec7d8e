import type { Statement } from "../statement.ts";

export interface ApplicationStatements {
  /** 1 name, 2 seats or null. Adds a row, unless the name is known. */
  readonly create: Statement;
  /** 1 array of names. Those that are known. */
  readonly known: Statement;
}
