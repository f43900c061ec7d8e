import type { Writable } from "node:stream";
import { lending, type LentConnection } from "../../pooled-connections.ts";
import type { SqlResult, SqlValue } from "../../sql-runner.ts";
import { connectionError, losesConnection, statementError } from "./postgres-error.ts";

/** A query as the driver takes it; one with a name is prepared on first use. */
export interface Query {
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly SqlValue[];
  /** May take as long as it needs, and so does not tell a silent server. */
  readonly untimed?: boolean;
}

interface Answer {
  readonly rows: unknown[];
  readonly rowCount: number | null;
}

/** A connection of the driver as Knex lends it. */
export interface Connection extends LentConnection {
  /** Whether the driver sends a query before the one ahead of it was answered. */
  readonly pipeline?: boolean;
  readonly connection?: { readonly stream: Writable };
  query(query: Query, callback: (error: Error | null, answer: Answer) => void): void;
  /** Queries sent and not yet answered. */
  underWay?: number;
  /** What a query waits for on a connection that takes one at a time. Never rejects. */
  ahead?: Promise<unknown>;
  /** `performance.now()` since which an answer is awaited; for the watch over the server. */
  busySince?: number | undefined;
}

export const { acquire, release, withConnection } = lending<Connection>(connectionError);

/**
 * Runs one query; its error is a `ServiceError`, and a connection that cannot be trusted any more is marked. Queries
 * sent before the answer of an earlier one travel together, and are run and answered in their order.
 */
export function runOn<Row>(connection: Connection, query: Query): Promise<SqlResult<Row>> {
  if (connection.pipeline === true) {
    holdBack(connection);
    return send(connection, query);
  }
  const answer =
    connection.ahead === undefined
      ? send<Row>(connection, query)
      : connection.ahead.then(() => send<Row>(connection, query));
  const ahead = answer.then(noOp, noOp).then(() => {
    if (connection.ahead === ahead) delete connection.ahead;
  });
  connection.ahead = ahead;
  return answer;
}

/** Sends queries to the connection on which something runs that may take as long as it needs. */
export type Run = <Row>(query: Query) => Promise<SqlResult<Row>>;

export function runnerOf(connection: Connection): Run {
  return (query) => runOn(connection, { ...query, untimed: true });
}

/** A connection that cannot even roll back is not used again. */
export async function rollBack(connection: Connection): Promise<void> {
  await runOn(connection, { text: "rollback" }).catch((reason: unknown) => {
    connection.__knex__disposed = reason;
  });
}

/**
 * Keeps what is written together until the code that runs now has said all it has to say: a packet costs more than
 * what is in it.
 */
function holdBack({ connection }: Connection): void {
  if (connection === undefined || connection.stream.writableCorked > 0) return;
  connection.stream.cork();
  process.nextTick(() => connection.stream.uncork());
}

function noOp(): void {}

function send<Row>(connection: Connection, query: Query): Promise<SqlResult<Row>> {
  // The driver's own promise costs a second one, for a stack trace that the request id makes up for.
  return new Promise((resolve, reject) => {
    if (query.untimed !== true) connection.busySince ??= performance.now();
    connection.underWay = (connection.underWay ?? 0) + 1;
    connection.query(query, (error, answer) => {
      connection.underWay = (connection.underWay ?? 1) - 1;
      connection.busySince = connection.underWay > 0 ? performance.now() : undefined;
      if (error === null || error === undefined)
        return resolve({ rows: answer.rows as Row[], rowCount: answer.rowCount ?? 0 });
      if (losesConnection(error)) connection.__knex__disposed = error;
      reject(statementError(error));
    });
  });
}
