import { randomUUID } from "node:crypto";
import type { ArchiveRecord, StorageArchive } from "@sallyport/storage";
import { administrationOf, type Database, restartSync } from "@sallyport/core";
import { Argon2PasswordHasher, NodeDigests } from "@sallyport/crypto";
import { seedDemo } from "../../src/demo/index.ts";
import type { RunningServer } from "../../src/index.ts";
import { call } from "../client.ts";
import { memory } from "../configuration-file.ts";
import { startConfiguredServer } from "../demo-server.ts";

async function* recordsOf(archive: StorageArchive): AsyncGenerator<ArchiveRecord> {
  for await (const part of archive.export()) yield* part;
}

/** Devices after a dump and a restore of their database. */
describe("a restore", () => {
  let server: RunningServer;
  const databaseOf = (alias: string) => server.databases.get(alias) as Database;

  beforeAll(async () => {
    const databases = ["", "restored"].map((alias) => ({ ...memory, alias }));
    server = await startConfiguredServer({ databases });
    const hasher = await Argon2PasswordHasher.create({ memoryCost: 8, timeCost: 1 });
    const { storage, files } = databaseOf("");
    await seedDemo(storage, { hasher, digests: new NodeDigests(), clientHash: "md5", alias: "", files });
  }, 60_000);
  afterAll(() => server.close());

  /** Calls of one device, at a database. */
  const deviceAt = async (prefix: string) => {
    const body = { user: "demo", pass: "demo", appNames: ["demo-app"], device: { deviceId: "tablet" } };
    const { sessionId } = (await call(server, `${prefix}/v1/login`, { method: "POST", body })).body.data;
    const send = (path: string, sent?: object) =>
      call(server, `${prefix}${path}`, { method: "POST", sessionId, ...(sent === undefined ? {} : { body: sent }) });
    return {
      pull: (syncVersion: string) => send("/v1/sync/sales", { syncVersion, limit: 5_000 }),
      push: async (op: object) => {
        const answer = await send("/v1/sync/sales/push", { syncVersion: "0", ops: [op] });
        expect(answer.code).toBe("0");
        return answer.body.data.results[0];
      },
    };
  };

  test("the schema is there, devices start over, and a change whose effect was dumped is not repeated", async () => {
    const [original, colleague] = [await deviceAt(""), await deviceAt("")];
    const { changed, syncVersion } = (await original.pull("0")).body.data;
    const customer = changed.find((each: { "~ClassName": string }) => each["~ClassName"] === "Customer");
    const put = (id: string, City: string, version: number, base: string) => {
      const fields = { fields: { City }, base: { City: base } };
      return { id, op: "put", uuid: customer["~UUID"], syncVersion: String(version), ...fields };
    };
    const [mine, theirs] = [put(randomUUID(), "Mine", 1, customer.City), put(randomUUID(), "Theirs", 2, "Mine")];
    const first = await original.push(mine);
    expect(first).toMatchObject({ internalStatus: "0", version: 2 });
    expect(await colleague.push(theirs)).toMatchObject({ internalStatus: "0", version: 3 });

    const imported = databaseOf("restored").storage.archive.import(recordsOf(databaseOf("").storage.archive));
    expect(await imported).toBe("imported");
    const restored = await deviceAt("/restored");
    const refused = await restored.pull(syncVersion);
    expect([refused.code, refused.headers["sync-restart"]]).toEqual(["330", "1"]);
    const { object: _object, ...repeated } = await restored.push(mine);
    expect(repeated).toEqual({ ...first, object: undefined });
    const again = (await restored.pull("0")).body.data;
    const found = again.changed.find((each: { "~UUID": string }) => each["~UUID"] === customer["~UUID"]);
    expect(found).toMatchObject({ City: "Theirs", "~Version": 3 });
    expect(again.database).not.toBe((await original.pull("0")).body.data.database);
  });

  test("devices of a copied database start over after a restart", async () => {
    const device = await deviceAt("");
    const { syncVersion } = (await device.pull("0")).body.data;
    expect((await device.pull(syncVersion)).code).toBe("0");
    await restartSync(administrationOf(databaseOf("")));
    const refused = await device.pull(syncVersion);
    expect([refused.code, refused.headers["sync-restart"]]).toEqual(["330", "1"]);
    const { syncVersion: later } = (await device.pull("0")).body.data;
    expect((await device.pull(later)).code).toBe("0");
  });
});
