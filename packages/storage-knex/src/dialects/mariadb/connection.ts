import { randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import type { CancellableRead } from "@sallyport/storage";
import type { Knex } from "knex";
import { connectionAccess, type PooledConnection } from "../../pooled-connections.ts";
import { type SqlResult, type SqlValue, withRetries } from "../../sql-runner.ts";
import type { ServerFacts } from "../../sql-storage.ts";
import {
  connectionError,
  isDeadlock,
  isDuplicate,
  losesConnection,
  SilentServer,
  statementError,
} from "./mariadb-error.ts";
import { type Row, withValues } from "./tables.ts";

/** A query and how to send it. */
export interface Query extends PositionalQuery {
  /** Sent as text, for statements that the server cannot prepare or that are not worth preparing. */
  readonly plain?: boolean;
  /** No time limit: a late answer does not indicate a silent server. */
  readonly untimed?: boolean;
  /** Treats a duplicate key as success with no affected rows. */
  readonly ignoreDuplicates?: boolean | undefined;
}

type AnswerCallback = (error: Error | null, answer: unknown) => void;

/** A driver connection lent by Knex. The driver sends a query after the previous answer. */
export interface Connection extends PooledConnection {
  readonly stream: Socket;
  execute(sql: string, values: readonly unknown[], callback: AnswerCallback): void;
  query(sql: string, values: readonly unknown[], callback: AnswerCallback): void;
  query(sql: string): { stream(options: { readonly highWaterMark: number }): AsyncIterable<Row> };
  /** Tracks every pending answer. */
  answers?: AwaitedAnswers;
  /** Whether the server is a node of a Galera cluster. */
  isClustered?: boolean;
  /** The id of the session on its server. */
  readonly threadId?: number;
  /** Begins the text of reads that can be cancelled. */
  mark?: string;
}

export const { acquire, release, withConnection } = connectionAccess<Connection>(connectionError);

/** Destroys a connection, because its settings make it unusable for others. */
export function dismiss(connection: Connection, why: string): void {
  connection.__knex__disposed = new Error(why);
  connection.stream.destroy();
}

/** Runs one query. Rejects with a `ServiceError` and marks a connection that can no longer be trusted. */
export function runOn<T>(
  connection: Connection,
  { sql, values, plain = false, untimed = false, ignoreDuplicates = false }: Query,
): Promise<SqlResult<T>> {
  return new Promise((resolve, reject) => {
    const answered: AnswerCallback = (error, answer) => {
      if (awaited !== undefined) connection.answers?.end(awaited);
      if (error === null || error === undefined) return resolve(resultOf<T>(answer));
      if (ignoreDuplicates && isDuplicate(error)) return resolve({ rows: [], rowCount: 0 });
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

/** Runs a composed query, and cancels it on demand. */
export async function readOn<T>(
  connection: Connection,
  query: Query,
  onCancel: NonNullable<CancellableRead["onCancel"]>,
): Promise<SqlResult<T>> {
  connection.mark ??= `/* ${randomUUID()} */`;
  let isRunning = true;
  let cancelled: Promise<void> | undefined;
  const answer = runOn<T>(connection, { ...query, sql: `${connection.mark} ${query.sql}` });
  const unsubscribe = onCancel(() => {
    if (isRunning) cancelled ??= connection.cancelRead?.();
  });
  try {
    return await answer;
  } finally {
    isRunning = false;
    unsubscribe();
    // The connection stays lent until then, so that a late cancellation hits nothing.
    await cancelled;
  }
}

/** The part of the driver's connections that cancels the read of another one. */
export interface Canceller {
  promise(): { query(sql: string, values?: readonly unknown[]): Promise<[unknown, unknown]> };
  destroy(): void;
}

/** Milliseconds until a request to cancel counts as lost. */
const cancelTimeout = 5_000;

/**
 * Cancels the marked read of a connection, on a connection of its own. Resolves when the server has passed the signal on, or
 * when there is no such read. If this fails, the connection is not used again. The mark proves that both connections lead
 * to one server: behind a proxy, another server can have a session with the same id.
 */
export async function cancelOn(
  connection: Pick<Connection, "threadId" | "mark" | "__knex__disposed">,
  open: () => Canceller,
): Promise<void> {
  const { threadId, mark } = connection;
  const canceller = open();
  const cancel = async (): Promise<void> => {
    const session = canceller.promise();
    const running = "select 1 from information_schema.processlist where id = ? and info like ?";
    const [rows] = await session.query(running, [threadId, `${mark}%`]);
    // The read can end before the signal arrives. The server ignores a signal between two statements.
    if ((rows as unknown[]).length > 0) await session.query("kill query ?", [threadId]);
  };
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("the cancellation took too long")), cancelTimeout);
  });
  try {
    await Promise.race([cancel(), late]);
  } catch (reason) {
    connection.__knex__disposed = reason;
  } finally {
    clearTimeout(timer);
    canceller.destroy();
  }
}

/** Streams the rows of a query with backpressure. A reader that stops early must dismiss the connection. */
export async function* streamOn(connection: Connection, sql: string): AsyncGenerator<Row> {
  try {
    // A row can exceed a megabyte.
    for await (const row of connection.query(sql).stream({ highWaterMark: 16 })) yield* withValues([row]);
  } catch (error) {
    throw statementError(error);
  }
}

/**
 * A procedure answers with the rows of each of its queries and a final status. The last rows are its result. A column
 * `row_count` is the number of changed rows.
 */
function resultOf<T>(answer: unknown): SqlResult<T> {
  if (!Array.isArray(answer)) return { rows: [], rowCount: (answer as { affectedRows: number }).affectedRows };
  const isOfProcedure = answer.length > 1 && Array.isArray(answer[0]) && !Array.isArray(answer.at(-1));
  const rows = withValues((isOfProcedure ? answer.at(-2) : answer) as Row[]);
  const counted = isOfProcedure ? rows[0]?.["row_count"] : undefined;
  return { rows: rows as T[], rowCount: counted === undefined ? rows.length : Number(counted) };
}

/** A query with a question mark for each value, as the driver expects. */
interface PositionalQuery {
  readonly sql: string;
  readonly values: readonly unknown[];
}

/** Replaces numbered parameters (`$1`), which can appear in any order and repeatedly. An array is sent as JSON for `json_table`. */
export function positionalQuery(text: string, values: readonly SqlValue[]): PositionalQuery {
  const positional: unknown[] = [];
  const sql = text.replaceAll(/\$(\d+)/g, (_, number: string) => {
    positional.push(driverValue(values[Number(number) - 1]));
    return "?";
  });
  return { sql, values: positional };
}

function driverValue(value: SqlValue | undefined): unknown {
  if (value === undefined) throw new RangeError("A statement has more parameters than values.");
  return Array.isArray(value) ? JSON.stringify(value) : value;
}

/** A pending answer. */
interface AwaitedAnswer {
  /** `performance.now()` at the start of the wait. */
  readonly since: number;
  /** Destroys the connection and ends the wait. */
  readonly cut: () => void;
}

/** The pending answers of a pool's connections, in the order of their queries. */
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

/** Sends queries without a time limit to one connection. */
export type Run = <Row>(sql: string, values?: readonly unknown[]) => Promise<SqlResult<Row>>;

export function runnerOf(connection: Connection): Run {
  return (sql, values = []) => runOn(connection, { sql, values, plain: true, untimed: true });
}

/** Repeats a statement that lost against another transaction. */
export function retried(run: Run): Run {
  return (sql, values) =>
    withRetries(
      () => run(sql, values),
      isDeadlock,
      () => clusterAttempts,
    );
}

/** Attempts for work that can lose against transactions of other nodes, each of which ends it. */
export const clusterAttempts = 20;

/** Privileges of a server on the database: its procedures need `EXECUTE`. */
const serverPrivileges = ["SELECT", "INSERT", "UPDATE", "DELETE", "EXECUTE"] as const;

/** Further privileges of `migrate` and of index builds. */
const ownerPrivileges = ["CREATE", "ALTER", "DROP", "INDEX", "CREATE ROUTINE", "ALTER ROUTINE"] as const;

interface FactsRow {
  readonly version: string;
  readonly read_only: number;
  readonly connections: string | number;
  readonly timeout: string | number;
}

/** Reads the facts of a server for one database. Errors are those of the storage. */
export function mariadbFacts(knex: Knex, database: string): Promise<ServerFacts> {
  return withConnection(knex, async (connection) => {
    const run = <T>(sql: string, values: readonly string[] = []) =>
      runOn<T>(connection, { sql, values: [...values], plain: true });
    const { rows } = await run<FactsRow>(
      `select version() as version, @@global.read_only as read_only,
        least(@@max_connections, if(@@max_user_connections = 0, @@max_connections, @@max_user_connections)) as connections,
        @@max_statement_time as timeout`,
    );
    // The account's own privileges and those of its role. A database name in a grant is a pattern.
    const { rows: granted } = await run<{ readonly privilege: string }>(
      `select privilege_type as privilege from information_schema.user_privileges where grantee in (${grantees})
        union select privilege_type from information_schema.schema_privileges
        where grantee in (${grantees}) and ? like table_schema`,
      [database],
    );
    const { rows: accounts } = await run<{ readonly account: string }>(
      "select concat('`', replace(current_user(), '@', '`@`'), '`') as account",
    );
    const privileges = new Set(granted.map(({ privilege }) => privilege));
    const { version, read_only: readOnly, connections, timeout } = rows[0] as FactsRow;
    const missing = serverPrivileges.filter((each) => !privileges.has(each));
    return {
      version,
      isReadOnly: Number(readOnly) !== 0 && !privileges.has("READ_ONLY ADMIN"),
      missingPrivileges: missing.map((each) => `${each} on ${database}`),
      grants:
        missing.length === 0
          ? []
          : [`grant ${missing.join(", ")} on \`${database.replaceAll("`", "``")}\`.* to ${accounts[0]?.account}`],
      canChangeSchema: ownerPrivileges.every((each) => privileges.has(each)),
      maxConnections: Number(connections),
      statementTimeout: Number(timeout) * 1_000,
      failoverProof: null,
      missingSettings: [],
      unmetRequirements: async () => [],
    };
  });
}

/** As in the tables of privileges: an account as 'user'@'host', a role as 'role'@''. */
const grantees = `concat('''', replace(current_user(), '@', '''@'''), ''''), concat('''', coalesce(current_role(), ''), '''@''''')`;
