import type { ServerFacts } from "@sallyport/storage-knex";
import type { Configuration, DatabaseConfiguration, ServerStorage } from "../configuration/index.ts";
import { databaseName } from "./examine-database.ts";
import { type Diagnosis, found } from "./diagnosis.ts";

interface ExaminedPool {
  readonly storage: ServerStorage;
  readonly facts: ServerFacts;
  readonly databases: readonly DatabaseConfiguration[];
}

/** Compares the pools with the limits of the database servers and of this server. Databases with one URL share a pool. */
export function* examinePools(
  { server }: Configuration,
  facts: ReadonlyMap<DatabaseConfiguration, ServerFacts>,
): Generator<Diagnosis> {
  const pools = new Map<string, ExaminedPool>();
  for (const [database, each] of facts) {
    const { storage } = database;
    if (storage?.engine !== "postgres" && storage?.engine !== "mariadb") continue;
    const databases = [...(pools.get(storage.url)?.databases ?? []), database];
    pools.set(storage.url, { storage, facts: each, databases });
  }
  for (const { storage, facts: each, databases } of pools.values()) {
    const [first] = databases as readonly [DatabaseConfiguration, ...DatabaseConfiguration[]];
    const { max, maxWaiting } = storage.pool;
    yield examineConnections(first, max, each.maxConnections, server.workers);
    if (server.maxRequestsInFlight > max + maxWaiting)
      yield {
        check: "pool",
        level: "warning",
        finding: `The server accepts ${server.maxRequestsInFlight} requests in progress, but only ${max + maxWaiting} of them can use or await a connection. The others fail with 607.`,
        fix: "Raise storage.pool.maxWaiting, or lower MAX_REQUESTS_IN_FLIGHT.",
      };
    for (const database of databases) {
      const { limit } = database.sessions;
      if (limit === 0 || limit >= max) continue;
      yield {
        check: "sessions",
        level: "warning",
        finding: `${databaseName(database)} allows ${limit} sessions, fewer than the ${max} connections of its pool.`,
        fix: "Raise SESSION_LIMIT, or lower storage.pool.max.",
      };
    }
  }
}

function examineConnections(database: DatabaseConfiguration, max: number, limit: number, workers: number): Diagnosis {
  const processes = Math.floor(limit / max);
  const uses = `${databaseName(database)}: a server process opens up to ${max} of ${limit} connections`;
  if (processes > workers) return found("connections", `${uses}, so at most ${processes} processes can run.`);
  const isShort = processes < workers;
  const [needs, misses, fewer] =
    workers > 1
      ? [`The ${workers} workers of the server need ${workers * max}.`, "A reload", ", or server.workers,"]
      : ["The pool cannot fill.", "A second process", ""];
  return {
    check: "connections",
    level: isShort ? "error" : "warning",
    finding: `${uses}. ${isShort ? needs : `${misses}, or a command during a restart, may find none.`}`,
    fix: `Lower storage.pool.max${fewer || ","} or raise max_connections of the database server.`,
  };
}
