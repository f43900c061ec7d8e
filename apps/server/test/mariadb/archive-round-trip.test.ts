import { jest } from "@jest/globals";
import type { Storage } from "@sallyport/core";
import { createMariadbKnex, KnexStorage, MariadbStorage } from "@sallyport/storage-knex";
import { MemoryStorage } from "@sallyport/storage-memory";
import { openEmbeddedEngine } from "@sallyport/storage-pglite";
import { openRealMariadb } from "@sallyport/test-kit/databases/mariadb";
import { moveThrough } from "../move-through.ts";

jest.setTimeout(300_000);

test("an archive passes through MariaDB and the embedded engine, and stays the same", async () => {
  const server = await openRealMariadb();
  const { knex, close } = await createMariadbKnex({
    url: server.url,
    connectTimeout: 5_000,
    statementTimeout: 10_000,
    pool: { max: 8, acquireTimeout: 5_000, maxPendingAcquires: 100 },
  });
  const engine = await openEmbeddedEngine({ dataDir: "memory://" });
  const targets: Storage[] = [
    new MariadbStorage({ knex, database: server.freshName() }),
    new KnexStorage({ knex: engine.knex, schema: "sallyport", capabilities: engine.capabilities }),
    new MariadbStorage({ knex, database: server.freshName() }),
    new MemoryStorage(),
  ];
  try {
    const { original, copies } = await moveThrough(targets);
    expect(copies).toEqual(targets.map(() => original));
  } finally {
    await Promise.all(targets.map((storage) => storage.close()));
    await close();
    await Promise.all([server.close(), engine.close()]);
  }
});
