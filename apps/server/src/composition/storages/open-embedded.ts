import type { EmbeddedStorage } from "../../configuration/index.ts";
import type { SqlEngine } from "./sql-engine.ts";

/** A Postgres inside of this process, kept in a directory. Throws if another process holds the directory. */
export async function openEmbedded({ dataDir }: EmbeddedStorage): Promise<SqlEngine> {
  const [{ openEmbeddedEngine }, { KnexStorage }] = await Promise.all([
    import("@sallyport/storage-pglite"),
    import("@sallyport/storage-knex"),
  ]);
  const { knex, close } = await openEmbeddedEngine({ dataDir });
  const capabilities = { severalProcesses: false, durable: true };
  return { name: dataDir, pool: null, storage: (schema) => new KnexStorage({ knex, schema, capabilities }), close };
}
