import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { OutdatedModelError, type ReadOptions, RefusedByStorageError, ServiceError } from "@sallyport/storage";
import type { Knex } from "knex";

/** A fixed SQL text with numbered parameters, prepared once per connection under its name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  /** Treats a duplicate key as success with no affected rows, for engines without such a clause. */
  readonly ignoreDuplicates?: true;
  /** Runs with every request, never waits for a lock and has a small answer: can be batched with those of other requests. */
  readonly batchable?: true;
  /** How it combines with other statements without answers into one: a function call, or an insert. */
  readonly batch?: "call" | "addition";
}

/**
 * Names the text. The name contains a hash of the text, so that several schemas, or several versions behind one
 * connection pooler, never share a name for different statements.
 */
export function statement(name: string, text: string): Statement {
  const digest = createHash("sha256").update(text).digest("hex").slice(0, 16);
  return { name: `${name}_${digest}`, text };
}

/** A statement that can be batched with those of other requests. */
export function batchableStatement(name: string, text: string): Statement {
  return { ...statement(name, text), batchable: true };
}

/** A statement that inserts a row unless its key exists. */
export function insertIgnoringDuplicates(name: string, text: string): Statement {
  return { ...statement(name, text), ignoreDuplicates: true };
}

/** A value of a statement. An array uses the engine's own representation, JSON is text. */
export type SqlValue = string | number | boolean | null | Buffer | readonly string[] | readonly number[];

export interface SqlResult<Row> {
  readonly rows: Row[];
  /** Rows returned or changed. */
  readonly rowCount: number;
}

/** Runs statements that only read. */
export interface SqlReader {
  /** Runs a prepared statement, for frequent use. */
  run<Row>(statement: Statement, values?: readonly SqlValue[]): Promise<SqlResult<Row>>;

  /** Runs a text composed for this call and planned for its values. */
  runOnce<Row>(text: string, values?: readonly SqlValue[]): Promise<SqlResult<Row>>;
}

/** A nested transaction. */
export interface NestedPart {
  readonly outer: NestedPart | null;
  isRolledBack: boolean;
}

/** Whether a nested transaction was rolled back, or one around it. */
export function isUndone({ isRolledBack, outer }: NestedPart): boolean {
  return isRolledBack || (outer !== null && isUndone(outer));
}

/** Runs the SQL of repositories, on any free connection or in a transaction. Its errors are `ServiceError`s. */
export interface SqlRunner extends SqlReader {
  /** The innermost nested transaction; `null` outside of any. */
  readonly nested: NestedPart | null;

  /**
   * Reads any state from the position on, on a replica if possible; in a transaction, and without a position, the current
   * one. Outside of transactions, a read that no client waits for any more is cancelled if possible.
   */
  reading(how: ReadOptions): SqlReader;

  /** Runs a query of Knex's query builder, for everything else. */
  build<Row>(query: Knex.QueryBuilder): Promise<SqlResult<Row>>;

  /** Starts a query on one of the storage's tables. */
  table(name: string): Knex.QueryBuilder;

  /** Runs several statements atomically, in the open transaction or in a new one. */
  atomically<T>(work: (sql: SqlRunner) => Promise<T>): Promise<T>;
}

/** Whether this failure ends the whole transaction: no database, or a time-out. */
export function endsTransaction(failure: unknown): boolean {
  if (!(failure instanceof ServiceError) || failure instanceof OutdatedModelError) return false;
  if (failure instanceof RefusedByStorageError) return false;
  return failure.code === 704 || failure.code === 706;
}

/** Attempts for work that can lose against transactions of the same server. */
export const usualAttempts = 3;

/** Retries work after conflicts, with growing pauses. The number of attempts can depend on the last one. */
export async function withRetries<T>(
  work: () => Promise<T>,
  lost: (failure: unknown) => boolean,
  attempts = () => usualAttempts,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= attempts() || !lost(error)) throw error;
    }
    await pauseAfter(attempt);
  }
}

/** Lets the winner of a deadlock take the released locks first. Losers that meet again spread more and more. */
export async function pauseAfter(attempt: number): Promise<void> {
  await delay(attempt * 10 + Math.random() * 20 * Math.max(1, attempt - 1));
}

/** Maximum characters and rows per statement: a packet is limited to 16 MiB by default. */
const maxCharacters = 2 * 1_024 * 1_024;
const maxRows = 1_000;

interface InsertOptions {
  /** Further columns, by name, as expressions of the columns of the row. */
  readonly computed?: ReadonlyMap<string, string>;
  /** Follows the values and handles duplicates. */
  readonly otherwise?: string;
}

/** Inserts rows in as many statements as necessary. */
export async function insertRows(
  sql: SqlRunner,
  table: string,
  columns: readonly string[],
  rows: Iterable<readonly SqlValue[]>,
  { computed = new Map(), otherwise = "" }: InsertOptions = {},
): Promise<void> {
  for (const part of chunks(rows)) {
    const places = part.map((_, row) => {
      const placeholders = columns.map((__, column) => `$${row * columns.length + column + 1}`);
      return `(${[...placeholders, ...computed.values()].join(", ")})`;
    });
    await sql.runOnce(
      `insert into ${table} (${[...columns, ...computed.keys()].join(", ")}) values ${places.join(", ")} ${otherwise}`,
      part.flat(),
    );
  }
}

function* chunks(rows: Iterable<readonly SqlValue[]>): Generator<(readonly SqlValue[])[]> {
  let part: (readonly SqlValue[])[] = [];
  let characters = 0;
  for (const row of rows) {
    const size = row.reduce<number>((sum, value) => sum + (typeof value === "string" ? value.length : 0), 0);
    if (part.length > 0 && (part.length === maxRows || characters + size > maxCharacters)) {
      yield part;
      [part, characters] = [[], 0];
    }
    part.push(row);
    characters += size;
  }
  if (part.length > 0) yield part;
}
