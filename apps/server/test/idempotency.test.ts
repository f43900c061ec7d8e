import type { ArchiveRecord, Database, StorageArchive } from "@sallyport/core";
import { Argon2PasswordHasher, NodeDigests } from "@sallyport/crypto";
import { seedDemo } from "../src/demo/index.ts";
import { call } from "./client.ts";
import { memory } from "./configuration-file.ts";
import { startConfiguredServer } from "./demo-server.ts";
import { onEngines, withoutLockout } from "./engines.ts";
import { idempotencySuite } from "./idempotency-suite.ts";
import { macroEnvironment } from "./macro-suite.ts";
import { testedModes } from "./modes.ts";

describe("requests with an idempotency key", () => {
  for (const mode of testedModes)
    onEngines(`requests in mode ${mode}`, idempotencySuite(mode), {
      environment: { ...withoutLockout, ...macroEnvironment },
      count: 2,
    });

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
