import { jest } from "@jest/globals";
import type { Storage } from "@sallyport/core";
import { KnexStorage } from "@sallyport/storage-knex";
import { MemoryStorage } from "@sallyport/storage-memory";
import { openEmbeddedEngine } from "@sallyport/storage-pglite";
import { openTestMariadb } from "../../../../packages/storage-knex/test/mariadb/test-mariadb.ts";
import { emptyCluster } from "../../../../packages/storage-pglite/test/empty-cluster.ts";
import { moveThrough } from "../move-through.ts";

jest.setTimeout(300_000);

test("an archive goes through MariaDB and the embedded engine, and comes out as it went in", async () => {
  const server = await openTestMariadb();
  const engine = await openEmbeddedEngine({ dataDir: "memory://", template: await emptyCluster() });
  const targets: Storage[] = [
    await server.storage({ database: server.freshName() }),
    new KnexStorage({ knex: engine.knex, schema: "sallyport", capabilities: engine.capabilities }),
    await server.storage({ database: server.freshName() }),
    new MemoryStorage(),
  ];
  try {
    const { original, copies } = await moveThrough(targets);
    expect(copies).toEqual(targets.map(() => original));
  } finally {
    await Promise.all(targets.map((storage) => storage.close()));
    await Promise.all([server.close(), engine.close()]);
  }
});
