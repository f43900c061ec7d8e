import type { EmbeddedStorage } from "../../configuration/index.ts";
import { directoryTrouble } from "./directory-trouble.ts";
import type { SqlEngine } from "./sql-engine.ts";

/** The embedded engine has no background work of its own: without this, deleted rows would take room for ever. */
const upkeepInterval = 6 * 60 * 60_000;

/** Milliseconds for the restart of the engine, with a margin. */
const restartTime = 5_000;

/** Failures are told to the caller; Knex would also print them. */
const silent = { warn() {}, error() {}, deprecate() {}, debug() {} };

/** A Postgres inside of this process, kept in a directory. Throws if another process holds it, or if it cannot be used. */
export async function openEmbedded({ dataDir, statementTimeout }: EmbeddedStorage): Promise<SqlEngine> {
  const [{ openEmbeddedEngine }, { KnexStorage }] = await Promise.all([
    import("@sallyport/storage-pglite"),
    import("@sallyport/storage-knex"),
  ]);
  // Long enough to wait for a statement that times out and for the restart of the engine after it.
  const acquireConnectionTimeout = statementTimeout + restartTime;
  const engine = await openEmbeddedEngine({ dataDir, statementTimeout, acquireConnectionTimeout, knex: { log: silent } }).catch((error: unknown) => {
    throw directoryTrouble(error, dataDir);
  });
  // Whatever keeps one round from working, the next one tries again; requests would fail for the same reason, and tell.
  const upkeep = setInterval(() => void engine.maintain().catch(() => {}), upkeepInterval).unref();
  const close = (): Promise<void> => {
    clearInterval(upkeep);
    return engine.close();
  };
  const { knex, capabilities } = engine;
  return { name: dataDir, pool: null, storage: (schema) => new KnexStorage({ knex, schema, capabilities }), close };
}
