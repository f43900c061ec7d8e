import type { Writable } from "node:stream";
import pg from "pg";
import { connectionAccess, type PooledConnection } from "../../pooled-connections.ts";
import type { SqlResult, SqlValue } from "../../sql-runner.ts";
import { connectionError, losesConnection, preparedIsStale, statementError } from "./postgres-error.ts";

/** A query as the driver expects it. A named query is prepared on first use. */
export interface Query {
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly SqlValue[];
  /** No time limit: a late answer does not indicate a silent server. */
  readonly untimed?: boolean;
}

interface Answer {
  readonly rows: unknown[];
  readonly rowCount: number | null;
}

/** A pooler, such as PgBouncer, between a pool of connections and the server. */
export interface Pooler {
  /** Whether it sends a statement to a connection that has not prepared it. Then none is prepared any more. */
  losesStatements: boolean;
}

/** A driver connection lent by Knex. */
export interface Connection extends PooledConnection {
  /** The pooler that answers; it can serve each transaction by another session of the server. */
  readonly pooler?: Pooler;
  /** Whether the driver sends a query before the previous answer. */
  readonly pipeline?: boolean;
  readonly connection?: { readonly stream: Writable };
  query(query: Query, callback: (error: Error | null, answer: Answer) => void): void;
  /** Queries in flight. */
  inFlight?: number;
  /** The previous query, on a connection without pipelining. Never rejects. */
  previous?: Promise<unknown>;
  /** `performance.now()` at the start of the current wait, for the server watch. */
  busySince?: number | undefined;
  /** The name of the server's timeline, once the guard has asked. */
  timeline?: string;
}

export const { acquire, release, withConnection } = connectionAccess<Connection>(connectionError);

/**
 * Runs one query. Rejects with a `ServiceError` and marks a connection that can no longer be trusted. Queries sent
 * before an earlier answer are pipelined; they run and are answered in order.
 */
export function runOn<Row>(connection: Connection, query: Query): Promise<SqlResult<Row>> {
  if (connection.pipeline === true) {
    corkUntilNextTick(connection);
    return send(connection, query);
  }
  const answer =
    connection.previous === undefined
      ? send<Row>(connection, query)
      : connection.previous.then(() => send<Row>(connection, query));
  const previous = answer.then(noOp, noOp).then(() => {
    if (connection.previous === previous) delete connection.previous;
  });
  connection.previous = previous;
  return answer;
}

/** Milliseconds until a request to cancel counts as lost. */
const cancelTimeout = 5_000;

/**
 * Cancels what runs on a connection to a server. Resolves when the server has passed the signal on; it ignores one that
 * comes between two statements. The connection is not used again if this is uncertain. Does nothing behind a pooler, which
 * lends its sessions to others.
 */
export function cancelOn(connection: Connection): Promise<void> {
  const { host, port, ssl, processID, secretKey, pooler } = connection as Connection & Addressed;
  if (pooler !== undefined) return Promise.resolve();
  return new Promise((resolve) => {
    const canceller = new (pg as unknown as { Connection: new (settings: object) => Canceller }).Connection({ ssl });
    const lost = (reason: unknown): void => {
      connection.__knex__disposed = reason;
      canceller.stream.destroy();
    };
    const timer = setTimeout(() => lost(new Error("the cancellation took too long")), cancelTimeout);
    canceller.on("error", lost);
    canceller.on(ssl ? "sslconnect" : "connect", () => canceller.cancel(processID, secretKey));
    canceller.on("end", () => {
      clearTimeout(timer);
      resolve();
    });
    if (host.startsWith("/")) canceller.connect(`${host}/.s.PGSQL.${port}`);
    else canceller.connect(port, host);
  });
}

/** Where a session of the server is, and what authorizes its cancellation. */
interface Addressed {
  readonly host: string;
  readonly port: number;
  readonly ssl: unknown;
  readonly processID: number;
  readonly secretKey: number;
}

/** The part of the driver that speaks to a server before a log-in. */
interface Canceller {
  readonly stream: Writable;
  on(event: "error" | "connect" | "sslconnect" | "end", call: (error: unknown) => void): void;
  connect(port: number | string, host?: string): void;
  cancel(processID: number, secretKey: number): void;
}

/** Sends queries without a time limit to one connection. */
export type Run = <Row>(query: Query) => Promise<SqlResult<Row>>;

export function runnerOf(connection: Connection): Run {
  return (query) => runOn(connection, { ...query, untimed: true });
}

/** Rolls back. A connection that fails to roll back is not used again. */
export async function rollBack(connection: Connection): Promise<void> {
  await runOn(connection, { text: "rollback" }).catch((reason: unknown) => {
    connection.__knex__disposed = reason;
  });
}

/** Corks the socket until the current tick ends, so that all queries share one packet. */
function corkUntilNextTick({ connection }: Connection): void {
  if (connection === undefined || connection.stream.writableCorked > 0) return;
  connection.stream.cork();
  process.nextTick(() => connection.stream.uncork());
}

function noOp(): void {}

function send<Row>(connection: Connection, query: Query): Promise<SqlResult<Row>> {
  const { pooler } = connection;
  // A promise of the driver would cost a second one for its stack trace. The request id serves that purpose.
  return new Promise((resolve, reject) => {
    if (query.untimed !== true) connection.busySince ??= performance.now();
    connection.inFlight = (connection.inFlight ?? 0) + 1;
    const sent = pooler?.losesStatements === true ? unprepared(query) : query;
    connection.query(sent, (error, answer) => {
      connection.inFlight = (connection.inFlight ?? 1) - 1;
      connection.busySince = connection.inFlight > 0 ? performance.now() : undefined;
      if (error === null || error === undefined)
        return resolve({ rows: answer.rows as Row[], rowCount: answer.rowCount ?? 0 });
      if (pooler !== undefined && preparedIsStale(error)) pooler.losesStatements = true;
      if (losesConnection(error)) connection.__knex__disposed = error;
      reject(statementError(error));
    });
  });
}

function unprepared({ text, values }: Query): Query {
  return { text, ...(values === undefined ? {} : { values }) };
}
