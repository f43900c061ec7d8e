import { maskedUrl, type ServerStorage } from "../../configuration/index.ts";
import type { PoolState } from "../../operations/metrics.ts";
import { StartError } from "../start-error.ts";
import type { SqlEngine } from "./sql-engine.ts";

/** Milliseconds in which a new connection must stand. */
const connectTimeout = 3_000;

/** What is read of Knex's pool. */
interface CountedPool {
  numUsed(): number;
  numFree(): number;
  numPendingAcquires(): number;
}

/** A connection pool to a MariaDB server; connects on first use. Throws if the driver is not installed, or the connection string has what it does not know. */
export async function openMariadb({ url, pool, statementTimeout }: ServerStorage): Promise<SqlEngine> {
  const { createMariadbKnex, MariadbStorage } = await import("@sallyport/storage-knex");
  const { max, acquireTimeout, maxWaiting } = pool;
  const limits = { max, acquireTimeout, maxPendingAcquires: maxWaiting };
  const { knex, close } = await createMariadbKnex({ url, pool: limits, connectTimeout, statementTimeout }).catch(
    (error: unknown) => {
      throw new StartError((error as Error).message, { cause: error });
    },
  );
  const counted = (knex.client as { readonly pool: CountedPool }).pool;
  return {
    name: maskedUrl(url),
    pool: (): PoolState => ({
      total: counted.numUsed() + counted.numFree(),
      idle: counted.numFree(),
      waiting: counted.numPendingAcquires(),
    }),
    storage: (schema) => new MariadbStorage({ knex, database: schema }),
    close,
  };
}
