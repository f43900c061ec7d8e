import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assertError } from "@sallyport/testing/assert";
import { startTestService, type TestService, type TestServiceOptions } from "@sallyport/testing";
import { startRealPostgres } from "@sallyport/test-kit/databases/postgres";
import pg from "pg";
import { tickets } from "../content.ts";

const databaseContents = { "": tickets, "other-one": { users: [{ name: "ada" }] } };

describe("storages", () => {
  const startAndReset = async (
    storage: NonNullable<TestServiceOptions["storage"]>,
    databases: TestServiceOptions["databases"] = databaseContents,
  ): Promise<void> => {
    const service = await startTestService({ databases, storage });
    try {
      const refused = await service.as("root").get("/v1/object/999999");
      expect(() => assertError(refused, 307)).toThrow("Why it was refused");
      await changesAreUndone(service);
    } finally {
      await service.close();
    }
  };

  describe("a storage adapter", () => {
    let folder: string;
    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), "sallyport-adapter-"));
    });
    afterAll(() => rmSync(folder, { recursive: true }));

    const start = (name: string, parameters: string, clock: string) => {
      const module = join(folder, `${name}.mjs`);
      const memory = JSON.stringify(import.meta.resolve("@sallyport/storage-memory"));
      const text = `import { MemoryStorage } from ${memory};
        export const openStorage = (${parameters}) => new MemoryStorage(${clock});`;
      writeFileSync(module, text);
      return startTestService({ databases: { "": tickets }, storage: { module } });
    };

    test("follows the clock of the service", async () => {
      const service = await start("following", "options, clock", "clock");
      try {
        const ada = service.as("ada");
        await ada.get("/_CheckSession").expect(200);
        service.clock.advance("31 min");
        assertError(await ada.get("/_CheckSession"), 201);
      } finally {
        await service.close();
      }
    });

    test("with a clock of its own refuses to move it", async () => {
      const service = await start("own", "", "");
      try {
        const before = service.clock.now();
        expect(() => service.clock.advance("31 min")).toThrow(/own\.mjs has a clock of its own/);
        expect(service.clock.now() - before).toBeLessThan(60_000);
      } finally {
        await service.close();
      }
    });
  });

  test("starts and resets the embedded engine", () => startAndReset("embedded"), 60_000);

  test("the embedded engine of a service is in memory", async () => {
    const folders = async () => (await readdir(tmpdir())).filter((name) => name.startsWith("sallyport-test-"));
    const before = await folders();
    const service = await startTestService({ databases: { "": tickets }, storage: "embedded" });
    try {
      // Services of other test files come and go.
      const started = (await folders()).filter((name) => !before.includes(name));
      const content = started.map((name) => readdir(join(tmpdir(), name)).catch(() => []));
      expect((await Promise.all(content)).flat()).not.toContain("cluster");
    } finally {
      await service.close();
    }
  }, 60_000);

  test("copies a template database on Postgres, and drops the copy", async () => {
    const postgres = await startRealPostgres();
    const scratch = await postgres.createDatabase();
    const client = new pg.Client({ connectionString: scratch.directUrl });
    await client.connect();
    // Others create databases on this server. Those of the role are of this test.
    const role = `sallyport_testing_${randomBytes(8).toString("hex")}`;
    await client.query(`create role ${role} createdb login password 'pw'`);
    const storage = { postgres: urlOf(scratch.directUrl, role, "pw") };
    const names = async (): Promise<string[]> => {
      const { rows } = await client.query(
        "select datname from pg_database join pg_roles r on r.oid = datdba where rolname = $1 order by 1",
        [role],
      );
      return rows.map(({ datname }) => datname);
    };
    const template = expect.stringMatching(/^sallyport_template_/);
    // The template of others, with the same content, would be theirs.
    const databases = { ...databaseContents, "other-one": { users: [{ name: "ada" }, { name: role }] } };
    // Of a run that was killed hours ago, of a running service, and of a content that was not used for a week.
    const old = `sallyport_test_1000000000_${"0".repeat(32)}`;
    const running = `sallyport_test_1000000001_${"0".repeat(32)}`;
    const unused = `sallyport_template_${"0".repeat(24)}`;
    const user = new pg.Client({ connectionString: storage.postgres, application_name: running });
    try {
      await user.connect();
      for (const name of [old, running, unused]) await user.query(`create database ${name}`);
      await user.query(`comment on database ${unused} is '{"used":"2020-01-01","ids":{}}'`);
      await startAndReset(storage, databases);
      expect(await names()).toEqual([template, running]);
      await user.query(`drop database ${running}`);
      const [one, two] = await Promise.all([
        startTestService({ databases, storage }),
        startTestService({ databases, storage }),
      ]);
      await one
        .as("root")
        .delete(`/v1/object/${one.id("first")}`)
        .expect(200);
      await two
        .as("ada")
        .get(`/v1/object/${two.id("first")}`)
        .expect(200);
      expect(await names()).toHaveLength(3);
      await Promise.all([one.close(), two.close()]);
      expect(await names()).toEqual([template]);

      // Hashes of passwords depend on this setting, and clients of plain text have no digests.
      const configuration = { passwords: { clientHash: "none" } };
      const users = (tickets.users ?? []).filter((user) => !("passwordDigest" in user));
      const plain = await startTestService({ databases: { "": { ...tickets, users } }, storage, configuration });
      await plain.as("ada").get("/_CheckSession").expect(200);
      await plain.close();

      const own = await names();
      await expect(startTestService({ databases, storage, configuration: { unknown: true } })).rejects.toThrow(
        "unknown",
      );
      expect(await names()).toEqual(own);
    } finally {
      await user.end();
      for (const name of await names()) await postgres.dropDatabase(name);
      await client.query(`drop role ${role}`);
      await client.end();
      await scratch.drop();
      await postgres.stop();
    }
  }, 60_000);
});

/** An address for another role. */
function urlOf(address: string, username: string, password: string): string {
  return Object.assign(new URL(address), { username, password }).href;
}

/** Writes in every table that a test can reach easily, then resets. */
async function changesAreUndone(service: TestService): Promise<void> {
  const root = service.as("root");
  const count = async (): Promise<number> => (await root.get("/v1/object/Ticket").expect(200)).body.data["~Count"];
  const before = await count();
  for (let round = 0; round < 2; round += 1) {
    const { body } = await root.post("/v1/object/Ticket").send({ Title: "New" }).expect(200);
    await root
      .patch(`/v1/object/${service.id("second")}`)
      .send({ Title: "Changed", Next: null })
      .expect(200);
    await root.delete(`/v1/object/${service.id("first")}`).expect(200);
    await root.delete(`/v1/object/${body.data["~ObjectID"]}?moveToRecycler=true`).expect(200);
    await root
      .put(`/v1/model/structure/Round${round}`)
      .send({ attributes: [], rights: [{ group: "*", permissions: ["read", "create"] }] })
      .expect(200);
    await service.as("ada", { mode: "secure" }).get("/_CheckSession").expect(200);
    await service.as("ada", { alias: "other-one", mode: "token" }).get("/_CheckSession").expect(200);
    service.clock.advance("3 h");
    await service.timers.runAll();
    await service.reset();

    expect(await count()).toBe(before);
    const second = await root.get(`/v1/object/${service.id("second")}`).expect(200);
    expect(second.body.data).toMatchObject({ Title: "Second", Next: { "~ObjectID": service.id("first") } });
    await root.get(`/v1/object/Round${round}`).expect(404);
    const trash = await root.get("/v1/recycler").expect(200);
    expect(trash.body.data["~Elements"]).toEqual([]);
  }
}
