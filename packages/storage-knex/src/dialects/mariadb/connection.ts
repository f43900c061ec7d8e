import { createHash } from "node:crypto";
import type { Socket } from "node:net";
import { lending, type LentConnection } from "../../pooled-connections.ts";
import type { SqlResult, SqlValue } from "../../sql-runner.ts";
import { connectionError, isDuplicate, losesConnection, SilentServer, statementError } from "./mariadb-error.ts";
import { type Row, withValues } from "./row-values.ts";

/** A query, and how it is sent. */
export interface Query extends PositionalQuery {
  /** Sent as text instead of being prepared: for what the server does not prepare, and what is not worth it. */
  readonly plain?: boolean;
  /** May take as long as it needs, and so does not tell a silent server. */
  readonly untimed?: boolean;
  /** That a row with the same key is there is no error, but means that nothing is done. */
  readonly unlessKnown?: boolean | undefined;
}

type Answered = (error: Error | null, answer: unknown) => void;

/** A connection of the driver as Knex lends it. The driver sends a query when the one ahead of it was answered. */
export interface Connection extends LentConnection {
  readonly stream: Socket;
  execute(sql: string, values: readonly unknown[], callback: Answered): void;
  query(sql: string, values: readonly unknown[], callback: Answered): void;
  query(sql: string): { stream(options: { readonly highWaterMark: number }): AsyncIterable<Row> };
  /** Told of every answer that is awaited. */
  answers?: AwaitedAnswers;
}

export const { acquire, release, withConnection } = lending<Connection>(connectionError);

/**
 * Gives the named locks of a connection free that is about to end: the server would do so by itself, but only after a moment, in which
 * whoever comes next finds them taken.
 */
export async function releaseLocks(connection: Connection): Promise<void> {
  await runOn(connection, { sql: "do release_all_locks()", values: [], plain: true }).catch(() => {});
}

/** Ends a connection, and with it its locks: nobody else could do with what was set on it. */
export function dismiss(connection: Connection, why: string): void {
  connection.__knex__disposed = new Error(why);
  connection.stream.destroy();
}

/** Runs one query; its error is a `ServiceError`, and a connection that cannot be trusted any more is marked. */
export function runOn<T>(
  connection: Connection,
  { sql, values, plain = false, untimed = false, unlessKnown = false }: Query,
): Promise<SqlResult<T>> {
  return new Promise((resolve, reject) => {
    const answered: Answered = (error, answer) => {
      if (awaited !== undefined) connection.answers?.end(awaited);
      if (error === null || error === undefined) return resolve(resultOf<T>(answer));
      if (unlessKnown && isDuplicate(error)) return resolve({ rows: [], rowCount: 0 });
      if (losesConnection(error)) connection.__knex__disposed = error;
      reject(statementError(error));
    };
    const cut = () => {
      connection.stream.destroy();
      answered(new SilentServer(), undefined);
    };
    const awaited = untimed ? undefined : connection.answers?.begin(cut);
    if (plain) connection.query(sql, values, answered);
    else connection.execute(sql, values, answered);
  });
}

/** The rows of a query as they are asked for: the server waits for whoever reads them. Who stops early has to dismiss the connection. */
export async function* streamOn(connection: Connection, sql: string): AsyncGenerator<Row> {
  try {
    // A row may have more than a megabyte.
    for await (const row of connection.query(sql).stream({ highWaterMark: 16 })) yield* withValues([row]);
  } catch (error) {
    throw statementError(error);
  }
}

/**
 * A procedure answers with the rows of its queries, one after the other, and how it ended. The last rows are its answer; where
 * they have a column `row_count`, that many rows were changed.
 */
function resultOf<T>(answer: unknown): SqlResult<T> {
  if (!Array.isArray(answer)) return { rows: [], rowCount: (answer as { affectedRows: number }).affectedRows };
  const ofProcedure = answer.length > 1 && Array.isArray(answer[0]) && !Array.isArray(answer.at(-1));
  const rows = withValues((ofProcedure ? answer.at(-2) : answer) as Row[]);
  const told = ofProcedure ? rows[0]?.["row_count"] : undefined;
  return { rows: rows as T[], rowCount: told === undefined ? rows.length : Number(told) };
}

/** A query as the driver takes it: with a question mark for each value. */
interface PositionalQuery {
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

/** An answer that is awaited. */
interface AwaitedAnswer {
  /** `performance.now()` since which it is. */
  readonly since: number;
  /** Ends the connection, and the wait. */
  readonly cut: () => void;
}

/** The answers that the connections of a pool wait for, in the order of their questions. */
export class AwaitedAnswers {
  private readonly awaited = new Set<AwaitedAnswer>();

  begin(cut: () => void): AwaitedAnswer {
    const answer = { since: performance.now(), cut };
    this.awaited.add(answer);
    return answer;
  }

  end(answer: AwaitedAnswer): void {
    this.awaited.delete(answer);
  }

  get waitingSince(): number | undefined {
    for (const { since } of this.awaited) return since;
    return undefined;
  }

  cut(before: number): void {
    for (const answer of this.awaited) {
      if (answer.since >= before) return;
      answer.cut();
    }
  }
}

/** Sends queries to the connection on which something runs that may take as long as it needs. */
export type Run = <Row>(sql: string, values?: readonly unknown[]) => Promise<SqlResult<Row>>;

export function runnerOf(connection: Connection): Run {
  return (sql, values = []) => runOn(connection, { sql, values, plain: true, untimed: true });
}

/** Takes the lock of the server for one database and purpose, which belongs to the connection; waits for it at most so many seconds. */
export async function takeLock(
  run: Run,
  database: string,
  purpose: "archive" | "indexes" | "migrations",
  waitTimeout = 0,
): Promise<boolean> {
  // Names of databases may be too long to be part of that of a lock.
  const name = `sallyport:${createHash("sha256").update(database).digest("hex").slice(0, 32)}:${purpose}`;
  const { rows } = await run<{ locked: number | null }>("select get_lock(?, ?) as locked", [name, waitTimeout]);
  return rows[0]?.locked === 1;
}
