import type { AdapterUnderTest } from "@sallyport/conformance-kit";
import { KnexStorage, type KnexStorageOptions } from "@sallyport/storage-knex";
import { openEmbeddedEngine, preparedSchemas } from "@sallyport/storage-pglite";
import { SchemaPool } from "../databases/schema-pool.ts";

const engine = await openEmbeddedEngine({ dataDir: "memory://" });
const { knex, capabilities } = engine;
const storageIn = (schema: string, more: Partial<KnexStorageOptions> = {}) =>
  new KnexStorage({ knex, schema, capabilities, preparedSchemas, ...more });
const schemas = new SchemaPool(
  async (text) => [await knex.raw(text)].flat().at(-1).rows,
  async (schema) => void (await storageIn(schema).migrate()),
);

/** The embedded Postgres: a schema for each check. */
export default {
  name: "KnexStorage over the embedded engine",
  create: async ({ clockOffset, migrated }) => {
    const schema = await schemas.acquire({ migrated });
    const storage = storageIn(schema, { clockOffset });
    return {
      storage,
      destroy: async () => {
        await storage.close();
        await schemas.release(schema);
      },
    };
  },
  close: () => engine.close(),
} satisfies AdapterUnderTest;
