import { storageConformance } from "@sallyport/conformance-kit";
import { KnexStorage, type KnexStorageOptions } from "@sallyport/storage-knex";
import { openEmbeddedEngine } from "@sallyport/storage-pglite";
import { emptyCluster } from "@sallyport/test-kit/databases/empty-cluster";
import { SchemaPool } from "@sallyport/test-kit/databases/schema-pool";

const engine = await openEmbeddedEngine({ dataDir: "memory://", template: await emptyCluster() });
afterAll(() => engine.close());

const { knex, capabilities } = engine;
const storageIn = (schema: string, more: Partial<KnexStorageOptions> = {}) =>
  new KnexStorage({ knex, schema, capabilities, ...more });
const schemas = new SchemaPool(
  async (text) => [await knex.raw(text)].flat().at(-1).rows,
  async (schema) => void (await storageIn(schema).migrate()),
);

await storageConformance({
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
});
