import type { Writable } from "node:stream";
import type { Knex } from "knex";
import { connectionAccess, type PooledConnection } from "../../pooled-connections.ts";
import type { SqlResult, SqlValue } from "../../sql-runner.ts";
import type { ServerFacts } from "../../sql-storage.ts";
import { connectionError, losesConnection, statementError } from "./postgres-error.ts";

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

/** A driver connection lent by Knex. */
export interface Connection extends PooledConnection {
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
  // A promise of the driver would cost a second one for its stack trace. The request id serves that purpose.
  return new Promise((resolve, reject) => {
    if (query.untimed !== true) connection.busySince ??= performance.now();
    connection.inFlight = (connection.inFlight ?? 0) + 1;
    connection.query(query, (error, answer) => {
      connection.inFlight = (connection.inFlight ?? 1) - 1;
      connection.busySince = connection.inFlight > 0 ? performance.now() : undefined;
      if (error === null || error === undefined)
        return resolve({ rows: answer.rows as Row[], rowCount: answer.rowCount ?? 0 });
      if (losesConnection(error)) connection.__knex__disposed = error;
      reject(statementError(error));
    });
  });
}

/** 1 schema. An owner can migrate. Without a schema, the role must be able to create it. */
const factsQuery = `
  select current_setting('server_version') as version,
    pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as read_only,
    least(
      current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer,
      nullif((select rolconnlimit from pg_roles where rolname = current_user), -1)
    ) as connections,
    (select setting::integer from pg_settings where name = 'statement_timeout') as timeout,
    case when n.oid is null then has_database_privilege(current_database(), 'CREATE')
      else has_schema_privilege(n.oid, 'CREATE') and not exists (
        select from pg_class c
        where c.relnamespace = n.oid and c.relkind in ('r', 'p', 'S') and not pg_has_role(c.relowner, 'USAGE')
      ) end as can_change,
    case when n.oid is null or has_schema_privilege(n.oid, 'USAGE') then '{}'::text[] else array['USAGE on schema ' || $1] end || array(
      select privilege || ' on ' || c.relname
      from pg_class c, unnest(array['SELECT', 'INSERT', 'UPDATE', 'DELETE']) with ordinality as p (privilege, position)
      where c.relnamespace = n.oid and c.relkind in ('r', 'p') and c.relname <> 'migrations'
        and not has_table_privilege(c.oid, privilege)
      order by c.relname, position
    ) as missing
  from (select 1) one left join pg_namespace n on n.nspname = $1`;

interface FactsRow {
  readonly version: string;
  readonly read_only: boolean;
  readonly connections: number;
  readonly timeout: number;
  readonly can_change: boolean;
  readonly missing: readonly string[];
}

/** Reads the facts of a server for one schema. Errors are those of the storage. */
export function postgresFacts(knex: Knex, schema: string): Promise<ServerFacts> {
  return withConnection(knex, async (connection) => {
    const { rows } = await runOn<FactsRow>(connection, { text: factsQuery, values: [schema] });
    const {
      version,
      read_only: isReadOnly,
      can_change: canChangeSchema,
      connections,
      timeout,
      missing,
    } = rows[0] as FactsRow;
    return {
      version,
      isReadOnly,
      missingPrivileges: missing,
      canChangeSchema,
      maxConnections: connections,
      statementTimeout: timeout,
    };
  });
}
