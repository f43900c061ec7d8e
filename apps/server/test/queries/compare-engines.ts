import { type AdapterUnderTest, findDifference, memoryReference, reproductionTest } from "@sallyport/conformance-kit";
import { createPostgresKnex, KnexStorage, type KnexStorageOptions } from "@sallyport/storage-knex";
import { openEmbeddedEngine } from "@sallyport/storage-pglite";
import { startRealPostgres } from "@sallyport/test-kit/databases/postgres";
import { SchemaPool } from "@sallyport/test-kit/databases/schema-pool";

type Knex = KnexStorageOptions["knex"];

/**
 * Random queries and writes have the same results in memory, on Postgres with and without indexes, and on the embedded
 * engine. The same seed repeats a run.
 */
export async function compareEngines(runs: number, seed: number): Promise<void> {
  const postgres = await startRealPostgres();
  const database = await postgres.createDatabase();
  const pool = { max: 4, acquireTimeout: 5_000, maxPendingAcquires: 100 };
  const server = createPostgresKnex({ url: database.url, pool, connectTimeout: 5_000, statementTimeout: 30_000 });
  // For tables of any size: every possible index is used.
  const eager = new URL(database.url);
  eager.searchParams.set("options", "-c enable_seqscan=off -c enable_sort=off -c jit=off");
  const indexing = createPostgresKnex({
    url: eager.href.replaceAll("+", "%20"),
    pool,
    connectTimeout: 5_000,
    statementTimeout: 30_000,
  });
  const engine = await openEmbeddedEngine({ dataDir: "memory://" });
  try {
    const adapters = [
      adapterOf("Postgres", server.knex),
      adapterOf("Postgres with indexes", indexing.knex),
      adapterOf("the embedded engine", engine.knex),
    ];
    for (const adapter of adapters) {
      const difference = await findDifference(memoryReference, adapter, { runs, seed });
      expect(difference && reproductionTest(difference, "./adapter.js")).toBeNull();
    }
  } finally {
    await Promise.all([server.close(), indexing.close(), engine.close()]);
    await database.drop();
    await postgres.stop();
  }
}

function adapterOf(name: string, knex: Knex): AdapterUnderTest {
  const schemas = new SchemaPool(
    async (text) => [await knex.raw(text)].flat().at(-1).rows,
    async (schema) => void (await new KnexStorage({ knex, schema }).migrate()),
  );
  return {
    name,
    create: async ({ clockOffset, migrated }) => {
      const schema = await schemas.acquire({ migrated });
      const storage = new KnexStorage({ knex, schema, clockOffset });
      return {
        storage,
        destroy: async () => {
          await storage.close();
          await schemas.release(schema);
        },
      };
    },
  };
}
