import type { Statement } from "../statement.ts";

export interface ApplicationStatements {
  /** 1 name, 2 seats or null, 3 rule for second factors. Adds a row, unless the name is known. */
  readonly create: Statement;
  /** 1 array of names. Those that are known. */
  readonly known: Statement;
  /** 1 array of names. `name` and `second_factor` of those whose rule is not `off`. */
  readonly askingForFactors: Statement;
}
