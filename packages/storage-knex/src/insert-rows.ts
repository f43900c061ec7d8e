import type { SqlRunner, SqlValue } from "./sql-runner.ts";

/** Characters of the values that travel in one statement, and rows: a packet has 16 MiB unless the server is told otherwise. */
const mostCharacters = 2 * 1_024 * 1_024;
const mostRows = 1_000;

/** Inserts rows, in as many statements as it takes. What comes after the values says what becomes of those that are there. */
export async function insertRows(
  sql: SqlRunner,
  table: string,
  columns: readonly string[],
  rows: Iterable<readonly SqlValue[]>,
  otherwise = "",
): Promise<void> {
  for (const part of portions(rows)) {
    const places = part.map(
      (_, row) => `(${columns.map((__, column) => `$${row * columns.length + column + 1}`).join(", ")})`,
    );
    await sql.runOnce(
      `insert into ${table} (${columns.join(", ")}) values ${places.join(", ")} ${otherwise}`,
      part.flat(),
    );
  }
}

function* portions(rows: Iterable<readonly SqlValue[]>): Generator<(readonly SqlValue[])[]> {
  let part: (readonly SqlValue[])[] = [];
  let characters = 0;
  for (const row of rows) {
    const size = row.reduce<number>((sum, value) => sum + (typeof value === "string" ? value.length : 0), 0);
    if (part.length > 0 && (part.length === mostRows || characters + size > mostCharacters)) {
      yield part;
      [part, characters] = [[], 0];
    }
    part.push(row);
    characters += size;
  }
  if (part.length > 0) yield part;
}
