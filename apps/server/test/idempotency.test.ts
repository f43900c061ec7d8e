import type { ArchiveRecord, StorageArchive } from "@sallyport/storage";
import { type Database, requestResultKind } from "@sallyport/core";
import { Argon2PasswordHasher, NodeDigests } from "@sallyport/crypto";
import { seedDemo } from "../src/demo/index.ts";
import { call, callIn } from "./client.ts";
import { memory } from "./configuration-file.ts";
import { startConfiguredServer } from "./demo-server.ts";
import { onEngines, withoutLockout } from "./engines.ts";
import { idempotencySuite } from "./idempotency-suite.ts";
import { macroEnvironment } from "./macro-suite.ts";
import { testedModes } from "./modes.ts";
import { openSession } from "./open-session.ts";
import { openPostgresFixture } from "./postgres-fixture.ts";
import { repositoriesOf } from "./repositories-of.ts";

describe("requests with an idempotency key", () => {
  for (const mode of testedModes)
    onEngines(`requests in mode ${mode}`, idempotencySuite(mode), {
      environment: { ...withoutLockout, ...macroEnvironment, DEBUG_MESSAGES: "true" },
      count: 2,
    });

  test("wait for the first one, up to the time limit of a statement", async () => {
    const postgres = await openPostgresFixture();
    try {
      const storage = { url: postgres.url, schema: "sallyport_demo", statementTimeout: "1s" };
      const server = await postgres.configured({ databases: [{ storage }] });
      const { records } = repositoriesOf(server);
      const session = await openSession(server, "session", "demo");
      const create = () =>
        callIn(server, session, "/v1/object/Customer", {
          method: "POST",
          headers: { "idempotency-key": "waiting" },
          body: { Name: "Ada" },
        });
      const first = await create();
      const [kept] = await records.list(requestResultKind, { after: null, limit: 1 });
      const lock = "select from sallyport_demo.records where kind = 'requestResult' and id = $1 for update";
      await postgres.sql.query("begin");
      await postgres.sql.query(lock, [kept?.id]);
      const meanwhile = await create();
      expect([meanwhile.status, meanwhile.code]).toEqual([503, "706"]);
      expect(Number(meanwhile.headers["retry-after"])).toBeGreaterThan(0);
      const waiting = create();
      await postgres.sql.query("commit");
      expect((await waiting).body).toEqual(first.body);
    } finally {
      await postgres.close();
    }
  }, 60_000);

  test("are not repeated by a database that was restored after them", async () => {
    const databases = ["", "restored"].map((alias) => ({ ...memory, alias }));
    const server = await startConfiguredServer({ databases });
    try {
      const databaseOf = (alias: string) => server.databases.get(alias) as Database;
      const hasher = await Argon2PasswordHasher.create({ memoryCost: 8, timeCost: 1 });
      const { storage, files } = databaseOf("");
      await seedDemo(storage, { hasher, digests: new NodeDigests(), clientHash: "md5", alias: "", files });
      const create = async (prefix: string, Name: string) => {
        const body = { user: "demo", pass: "demo", appNames: ["demo-app"] };
        const { sessionId } = (await call(server, `${prefix}/v1/login`, { method: "POST", body })).body.data;
        const headers = { "idempotency-key": "restored" };
        return call(server, `${prefix}/v1/object/Customer`, { method: "POST", sessionId, headers, body: { Name } });
      };
      const first = await create("", "Ada");
      await databaseOf("restored").storage.archive.import(recordsOf(storage.archive));
      const again = await create("/restored", "Ada");
      expect([again.code, again.body.data["~UUID"]]).toEqual(["0", first.body.data["~UUID"]]);
      expect((await create("/restored", "Bob")).code).toBe("307");
    } finally {
      await server.close();
    }
  }, 60_000);
});

async function* recordsOf(archive: StorageArchive): AsyncGenerator<ArchiveRecord> {
  for await (const part of archive.export()) yield* part;
}
