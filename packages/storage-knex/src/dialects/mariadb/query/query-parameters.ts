import type { SqlValue } from "../../../sql-runner.ts";

/** Collects the values of a text that is being put together. */
export class QueryParameters {
  readonly values: SqlValue[] = [];

  /** Its place in the text. */
  add(value: SqlValue): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}
