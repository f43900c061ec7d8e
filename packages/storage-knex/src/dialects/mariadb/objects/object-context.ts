import type { WritingStatements } from "../statements/writing-statements.ts";
import type { Tables } from "../tables.ts";
import type { ValueColumns } from "../value-columns.ts";

/** What the repositories of objects share in one database. */
export interface ObjectContext {
  readonly tables: Tables;
  readonly statements: WritingStatements;
  readonly columns: ValueColumns;
  /** Milliseconds by which the storage's clock is ahead of the server's. */
  readonly offset: () => number;
}
