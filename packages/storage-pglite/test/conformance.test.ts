import { randomBytes } from "node:crypto";
import { storageConformance } from "@sallyport/conformance-kit";
import { KnexStorage } from "@sallyport/storage-knex";
import { openEmbeddedEngine } from "@sallyport/storage-pglite";

const engine = await openEmbeddedEngine({ dataDir: "memory://" });
afterAll(() => engine.close());

await storageConformance({
  name: "KnexStorage over the embedded engine",
  create: async ({ clockOffset }) => {
    const schema = `check_${randomBytes(6).toString("hex")}`;
    const capabilities = { severalProcesses: false, durable: false };
    const storage = new KnexStorage({ knex: engine.knex, schema, clockOffset, capabilities });
    return {
      storage,
      destroy: async () => {
        await storage.close();
        await engine.knex.raw(`drop schema if exists ${schema} cascade`);
      },
    };
  },
});
