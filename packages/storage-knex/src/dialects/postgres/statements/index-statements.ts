import { type Statement, statement } from "../../../statement.ts";
import type { Tables } from "../tables.ts";
import { existingIndexes } from "../index-expression.ts";

export interface IndexStatements {
  /** Names of the indexes over values that queries can use. */
  readonly ready: Statement;
}

export function indexStatements(tables: Tables): IndexStatements {
  return { ready: statement("index_ready", `${existingIndexes(tables)} and i.indisvalid`) };
}
