import type { Statement } from "../statement.ts";

export interface ContentsStatements {
  readonly isEmpty: Statement;
}
