import type { Storage } from "@sallyport/core";
import { createPostgresKnex, KnexStorage } from "@sallyport/storage-knex";
import { MemoryStorage } from "@sallyport/storage-memory";
import { openEmbeddedEngine } from "@sallyport/storage-pglite";
import { startRealPostgres } from "../../../../packages/storage-knex/test/real-postgres.ts";
import { compareStorages } from "./compare-storages.ts";

/** Random queries have the same answers in memory, on Postgres with and without indexes, and on the embedded engine. The same seed asks the same again. */
export async function compareEngines(queries: number, seed: number): Promise<void> {
  const postgres = await startRealPostgres();
  const database = await postgres.createDatabase();
  const pool = { max: 4, acquireTimeout: 5_000, maxPendingAcquires: 100 };
  const server = createPostgresKnex({ url: database.url, pool, connectTimeout: 5_000, statementTimeout: 30_000 });
  const engine = await openEmbeddedEngine({ dataDir: "memory://" });
  // However small a table is: what can be done by an index is.
  const eager = new URL(database.url);
  eager.searchParams.set("options", "-c enable_seqscan=off -c enable_sort=off -c jit=off");
  const indexing = createPostgresKnex({ url: eager.href.replaceAll("+", "%20"), pool, connectTimeout: 5_000, statementTimeout: 30_000 });
  const indexed = new KnexStorage({ knex: indexing.knex, schema: "indexed" });
  const storages: Storage[] = [new MemoryStorage(), ...[server, engine].map(({ knex }) => new KnexStorage({ knex, schema: "test" })), indexed];
  try {
    for (const storage of storages) await storage.migrate();
    await compareStorages(storages, [indexed], queries, seed);
  } finally {
    await Promise.all(storages.map((storage) => storage.close()));
    await Promise.all([server.close(), indexing.close(), engine.close()]);
    await database.drop();
    await postgres.stop();
  }
}
