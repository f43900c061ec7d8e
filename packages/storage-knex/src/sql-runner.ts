import { setTimeout as delay } from "node:timers/promises";
import { OutdatedModelError, ServiceError } from "@sallyport/core";
import type { Knex } from "knex";
import type { Statement } from "./statement.ts";

/** A value of a statement. An array travels as whatever the engine has for it, JSON as text. */
export type SqlValue = string | number | boolean | null | Buffer | readonly string[] | readonly number[];

export interface SqlResult<Row> {
  readonly rows: Row[];
  /** Rows returned or changed. */
  readonly rowCount: number;
}

/**
 * Where repositories send their SQL: to any free connection, or to the one of a transaction. Its errors are
 * `ServiceError`s.
 */
export interface SqlRunner {
  /** Runs a prepared statement: the way for everything that runs often. */
  run<Row>(statement: Statement, values?: readonly SqlValue[]): Promise<SqlResult<Row>>;

  /** Runs a text that was put together for this call, and planned for its values. */
  runOnce<Row>(text: string, values?: readonly SqlValue[]): Promise<SqlResult<Row>>;

  /** Runs what Knex's query builder composed: the way for everything else. */
  build<Row>(query: Knex.QueryBuilder): Promise<SqlResult<Row>>;

  /** Starts a query on one of the storage's tables. */
  table(name: string): Knex.QueryBuilder;

  /** Runs several statements as one unit: in a transaction of their own, or in the one that is already open. */
  atomically<T>(work: (sql: SqlRunner) => Promise<T>): Promise<T>;
}

/** Whether nothing can be done in a transaction after this failure, whatever part it happened in: no database, or no more time. */
export function endsTransaction(failure: unknown): boolean {
  if (!(failure instanceof ServiceError) || failure instanceof OutdatedModelError) return false;
  return failure.code === 704 || failure.code === 706;
}

const attempts = 3;

/** Does work, and twice again at most where it lost against a transaction. */
export async function withRetries<T>(work: () => Promise<T>, lost: (failure: unknown) => boolean): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === attempts || !lost(error)) throw error;
    }
    // Lets the winner of a deadlock take what the loser has given free, before the loser wants it again.
    await delay(attempt * 10 + Math.random() * 20);
  }
}

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
