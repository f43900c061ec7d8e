import type { SqlValue } from "../../sql-runner.ts";

/** A query as the driver takes it: with a question mark for each value. */
export interface PositionalQuery {
  readonly sql: string;
  readonly values: readonly unknown[];
}

/** Replaces numbered parameters (`$1`), which may stand in any order and more than once. An array travels as JSON, for `json_table`. */
export function positionalQuery(text: string, values: readonly SqlValue[]): PositionalQuery {
  const placed: unknown[] = [];
  const sql = text.replaceAll(/\$(\d+)/g, (_, number: string) => {
    placed.push(travelling(values[Number(number) - 1]));
    return "?";
  });
  return { sql, values: placed };
}

function travelling(value: SqlValue | undefined): unknown {
  if (value === undefined) throw new RangeError("A statement has more parameters than values.");
  return Array.isArray(value) ? JSON.stringify(value) : value;
}
