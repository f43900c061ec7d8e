import { jest } from "@jest/globals";
import type { Storage } from "@sallyport/core";
import { createPostgresKnex, KnexStorage } from "@sallyport/storage-knex";
import { MemoryStorage } from "@sallyport/storage-memory";
import { openEmbeddedEngine } from "@sallyport/storage-pglite";
import { startRealPostgres } from "../../../packages/storage-knex/test/real-postgres.ts";
import { emptyCluster } from "../../../packages/storage-pglite/test/empty-cluster.ts";
import { moveThrough } from "./move-through.ts";

jest.setTimeout(300_000);

test("an archive goes through every storage, and comes out as it went in", async () => {
  const postgres = await startRealPostgres();
  const database = await postgres.createDatabase();
  const pool = { max: 4, acquireTimeout: 5_000, maxPendingAcquires: 100 };
  const server = createPostgresKnex({ url: database.url, pool, connectTimeout: 5_000, statementTimeout: 30_000 });
  const engine = await openEmbeddedEngine({ dataDir: "memory://", template: await emptyCluster() });
  const targets: Storage[] = [
    new KnexStorage({ knex: server.knex, schema: "one" }),
    new KnexStorage({ knex: engine.knex, schema: "two", capabilities: engine.capabilities }),
    new KnexStorage({ knex: server.knex, schema: "three" }),
    new MemoryStorage(),
  ];
  try {
    const { original, copies } = await moveThrough(targets);
    expect(copies).toEqual(targets.map(() => original));
  } finally {
    await Promise.all(targets.map((storage) => storage.close()));
    await Promise.all([server.close(), engine.close()]);
    await database.drop();
    await postgres.stop();
  }
});
