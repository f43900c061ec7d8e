import { maskedUrl, type ServerStorage } from "../../configuration/index.ts";
import type { PoolState } from "../../operations/metrics.ts";
import type { SqlEngine } from "./sql-engine.ts";

/** Milliseconds in which a new connection must stand. */
const connectTimeout = 3_000;

/** What is read of the driver's pool. */
interface CountedPool {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
}

/** A connection pool to a Postgres server; connects on first use. */
export async function openPostgres({ url, pool, statementTimeout }: ServerStorage): Promise<SqlEngine> {
  const { createPostgresKnex, KnexStorage } = await import("@sallyport/storage-knex");
  const { max, acquireTimeout, maxWaiting } = pool;
  const limits = { max, acquireTimeout, maxPendingAcquires: maxWaiting };
  const { knex, close } = createPostgresKnex({ url, pool: limits, connectTimeout, statementTimeout });
  const counted = (knex.client as { readonly pool: CountedPool }).pool;
  return {
    name: maskedUrl(url),
    pool: (): PoolState => ({ total: counted.totalCount, idle: counted.idleCount, waiting: counted.waitingCount }),
    storage: (schema) => new KnexStorage({ knex, schema }),
    close,
  };
}
