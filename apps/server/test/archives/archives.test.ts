import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { gunzipSync } from "node:zlib";
import { jest } from "@jest/globals";
import { type ArchiveRecord, identityLinkId, identityLinkKind, linkOwner, type Storage } from "@sallyport/storage";
import {
  Applications,
  type EarlierRecord,
  FormerPasswords,
  fromEarlier,
  KeyStore,
  MacroStore,
  ProviderEntries,
  SecondFactors,
} from "@sallyport/core";
import { NodeDigests } from "@sallyport/crypto";
import { createPostgresKnex, KnexStorage } from "@sallyport/storage-knex";
import { MemoryStorage } from "@sallyport/storage-memory";
import { openEmbeddedEngine } from "@sallyport/storage-pglite";
import { startRealPostgres } from "@sallyport/test-kit/databases/postgres";
import { schemaOf } from "../../src/archive/archive-format.ts";
import { openArchive, withoutFiles } from "../../src/archive/index.ts";
import { moveThrough } from "./move-through.ts";
import { streamed } from "./sample-archive.ts";

describe("archives", () => {
  jest.setTimeout(300_000);

  test("an archive passes through every storage, and stays the same", async () => {
    const postgres = await startRealPostgres();
    const database = await postgres.createDatabase();
    const pool = { max: 4, acquireTimeout: 5_000, maxPendingAcquires: 100 };
    const server = createPostgresKnex({ url: database.url, pool, connectTimeout: 5_000, statementTimeout: 30_000 });
    const engine = await openEmbeddedEngine({ dataDir: "memory://" });
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

  /** A dump of the demo with macros, a provider and a rotated key, in the first format. */
  const dumped = readFile(new URL("demo-format-1.gz", import.meta.url)).then(gunzipSync);

  test("an archive of the first format is restored completely", async () => {
    const storage = new MemoryStorage();
    await storage.migrate();
    const { header, records } = await openArchive(streamed([await dumped]));
    expect(header).toMatchObject({ version: "2.2.0", without: [] });
    expect(await storage.archive.import(withoutFiles(records))).toBe("imported");

    const r = storage.repositories;
    const { records: kept } = r;
    const applications = await new Applications(kept).list(null, 10);
    expect(applications).toMatchObject([
      { name: "demo-2fa", secondFactor: "optional" },
      { name: "demo-app", secondFactor: "off" },
      { name: "demo-seats" },
      { name: "field", seats: 3 },
    ]);
    const macros = new MacroStore(r);
    expect(await macros.load()).toMatchObject({
      generation: 4,
      macros: [{ name: "Greet", version: 2, language: "js", changedBy: "operator" }],
    });
    expect(await macros.history("Greet", 10)).toMatchObject([{ version: 2 }, { version: 1 }]);
    expect(await macros.history("Gone", 10)).toMatchObject([{ version: 2, text: null }, { version: 1 }]);
    expect(await macros.put({ name: "Gone", text: "1", language: "js", changedBy: "test" }, 0)).toBe("stored");
    expect((await macros.history("Gone", 1))[0]?.version).toBe(3);
    expect(await new ProviderEntries(kept).find("google")).toMatchObject({ type: "google", appNames: ["demo-app"] });
    const { account } = await r.accounts.find({ realm: "database", loginName: "reader" }, []);
    expect(await new FormerPasswords(kept).latest(`user:${account?.userId}`, 5)).toHaveLength(1);
    expect(await r.audit.read(0, 2)).toMatchObject([
      { type: "password.changed", actorId: null, subjectId: "H" },
      { type: "app.created", actorId: null, subjectId: null },
    ]);
    const keys = new KeyStore(kept);
    const rings = await Promise.all((["rsa", "jwt"] as const).map((kind) => keys.withPrivateKey(kind)));
    expect(rings.flat().length).toBe(3);
    for (const ring of rings) expect(ring.map(({ acceptedUntil }) => acceptedUntil === null).indexOf(true)).toBe(0);
  });

  test("second factors and keys of the first format become records, the keys of a kind one ring", async () => {
    const factor = { appName: "a", sealedSecret: "sealed", confirmed: true, lastStep: 3, recoveryCodes: [] };
    const key = (keyId: string, acceptedUntil: number | null) =>
      ({
        section: "keys",
        kind: "rsa",
        keyId,
        publicKey: "p",
        wrappedPrivateKey: "w",
        createdAt: 1,
        acceptedUntil,
      }) as const;
    const identity = { provider: "google", issuer: "https://accounts.example", subject: "anna" } as const;
    const link = { ...identity, id: randomUUID(), userId: "7", shared: false, email: null, displayName: "Anna" };
    const records: (ArchiveRecord | EarlierRecord)[] = [
      { section: "identityLinks", ...link, linkedAt: 5 },
      { section: "secondFactors", subject: "user:7", ...factor },
      key("first", 1),
      key("second", null),
    ];
    const storage = new MemoryStorage();
    await storage.migrate();
    const kept = storage.repositories.records;
    for await (const record of fromEarlier(streamed(records), 1_000, new NodeDigests())) {
      if (record.section === "records") await kept.put(record.kind, record.id, record.value, { owner: record.owner });
    }
    const linkId = identityLinkId(identity, new NodeDigests());
    expect(await kept.list(identityLinkKind, { owner: linkOwner("7"), after: null, limit: 2 })).toMatchObject([
      { id: linkId, value: link },
    ]);
    const [found] = await new SecondFactors(kept).find("user:7", ["a"]);
    expect(found).toMatchObject({ subject: "user:7", ...factor });
    expect(found !== undefined && (await new SecondFactors(kept).accept(found, 4))).toBe(true);
    expect((await new KeyStore(kept).accepted("rsa")).map(({ keyId }) => keyId)).toEqual(["second"]);
    expect(await new KeyStore(kept).rotate("second", key("first", null), 1)).toBe("known");
  });

  test.each([
    ["a log-in", { requestId: "r", userId: "7" }, { actorId: "7", subjectId: "7" }],
    ["a refused log-in", { requestId: "r", userId: null }, { actorId: null, subjectId: null }],
    ["a change of a class", { requestId: "r", userId: "7", className: "Invoice" }, { actorId: "7", subjectId: null }],
    ["a command about a user", { requestId: "", userId: "7" }, { actorId: null, subjectId: "7" }],
  ])("the user of %s in the first format becomes its actor and its subject", (_title, members, expected) => {
    const event = { at: 1, since: 1, attempts: 1, type: "t", outcome: 0, appKeyId: "", address: "", appNames: [] };
    const names = { className: null, macroName: null, providerName: null };
    expect(schemaOf("audit").parse({ sequence: 1, ...event, ...names, ...members })).toEqual({
      sequence: 1,
      ...event,
      ...names,
      changes: [],
      requestId: members.requestId,
      className: "className" in members ? members.className : null,
      ...expected,
    });
  });
});
