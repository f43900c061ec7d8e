import type { Knex } from "knex";
import pg from "pg";

/** One behaviour, named by the test title. Its result must be equal on every engine. */
export type DriverCase = readonly [title: string, run: (knex: Knex) => Promise<unknown>];

interface DriverConnection {
  query(config: pg.QueryConfig & { rows?: number }): Promise<pg.QueryResult>;
  on(event: "notice", listener: (notice: { message: string; severity: string }) => void): void;
  removeAllListeners(event: "notice"): void;
}

export async function onConnection<T>(knex: Knex, work: (connection: DriverConnection) => Promise<T>): Promise<T> {
  const client = knex.client as {
    acquireConnection(): Promise<DriverConnection>;
    releaseConnection(connection: DriverConnection): Promise<void>;
  };
  const connection = await client.acquireConnection();
  try {
    return await work(connection);
  } finally {
    await client.releaseConnection(connection);
  }
}

/** The members of an error that callers may use. */
export function errorFields(error: unknown): Record<string, unknown> {
  const names = ["name", "code", "severity", "message", "detail", "hint", "position", "where"] as const;
  const places = ["schema", "table", "column", "dataType", "constraint"] as const;
  const fields = error as Record<string, unknown>;
  const kind = error instanceof pg.DatabaseError ? "DatabaseError" : (error as Error).constructor.name;
  return { kind, ...Object.fromEntries([...names, ...places].map((name) => [name, fields[name]])) };
}

/** The result of a query, without driver internals. */
export function summary(result: pg.QueryResult): unknown {
  return {
    command: result.command,
    rowCount: result.rowCount,
    rows: result.rows,
    fields: result.fields.map(({ name, dataTypeID }) => [name, dataTypeID]),
  };
}
