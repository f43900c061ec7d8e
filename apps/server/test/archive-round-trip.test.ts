import { createHash } from "node:crypto";
import { jest } from "@jest/globals";
import { seesAll, type Storage } from "@sallyport/core";
import { NodeDigests } from "@sallyport/crypto";
import { createPostgresKnex, KnexStorage } from "@sallyport/storage-knex";
import { MemoryStorage } from "@sallyport/storage-memory";
import { openEmbeddedEngine } from "@sallyport/storage-pglite";
import { startRealPostgres } from "../../../packages/storage-knex/test/real-postgres.ts";
import { openArchive, writeArchive } from "../src/archive/index.ts";
import { seedDemo } from "../src/demo/seed-demo.ts";
import { PlainPasswordHasher } from "./plain-password-hasher.ts";

jest.setTimeout(120_000);

const header = { version: "1", database: "demo", writtenAt: "2026-01-01T00:00:00.000Z", without: [] };

async function archiveOf({ archive }: Storage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of writeArchive(header, archive.export())) parts.push(part);
  return Buffer.concat(parts);
}

async function* oneByOne(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += 10_000) yield bytes.subarray(start, start + 10_000);
}

/** Something of all that the demo has none of. */
async function goOn(storage: Storage): Promise<void> {
  const r = storage.repositories;
  const { objects } = await r.objects.find({ classes: ["Invoice"] }, seesAll, { offset: 0, limit: 3 });
  const [first, second, third] = objects.map(({ id }) => id) as [string, string, string];
  await storage.transaction(async (inside) => {
    await inside.departures.depart([first], { recycled: true, leader: first });
    await inside.departures.depart([second], { recycled: false, leader: second });
  });
  await r.objects.update([{ id: third, attributes: { Number: "1e21", Nested: { 10: 1e21, 9: -1e-7, ä: ["\u0001"] } }, links: {}, expectedVersions: null }], { session: null });
  await r.keys.addFirst({ kind: "rsa", keyId: "one", publicKey: "public", wrappedPrivateKey: "wrapped" });
  const event = { type: "login.refused", requestId: "r", outcome: 302, appKeyId: "1", userId: third, address: "::1", appNames: ["a"], className: "Invoice" } as const;
  await r.audit.append(event);
  await r.audit.tally("key", event);
}

test("an archive goes through every storage, and comes out as it went in", async () => {
  const postgres = await startRealPostgres();
  const database = await postgres.createDatabase();
  const pool = { max: 4, acquireTimeout: 5_000, maxPendingAcquires: 100 };
  const server = createPostgresKnex({ url: database.url, pool, connectTimeout: 5_000, statementTimeout: 30_000 });
  const engine = await openEmbeddedEngine({ dataDir: "memory://" });
  const memory = new MemoryStorage();
  await memory.migrate();
  await seedDemo(memory, { hasher: new PlainPasswordHasher(), digests: new NodeDigests(), clientHash: "md5", alias: "" });
  await goOn(memory);
  const targets: Storage[] = [
    new KnexStorage({ knex: server.knex, schema: "one" }),
    new KnexStorage({ knex: engine.knex, schema: "two", capabilities: engine.capabilities }),
    new KnexStorage({ knex: server.knex, schema: "three" }),
    new MemoryStorage(),
  ];
  try {
    const digest = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");
    let archive = await archiveOf(memory);
    const original = digest(archive);
    for (const target of targets) {
      await target.migrate();
      const { records } = await openArchive(oneByOne(archive));
      expect(await target.archive.import(records)).toBe("imported");
      archive = await archiveOf(target);
      expect(digest(archive)).toBe(original);
    }
  } finally {
    await Promise.all([memory, ...targets].map((storage) => storage.close()));
    await Promise.all([server.close(), engine.close()]);
    await database.drop();
    await postgres.stop();
  }
});
