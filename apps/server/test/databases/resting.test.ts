import { addBan, administrationOf, type Database } from "@sallyport/core";
import { Argon2PasswordHasher, NodeDigests } from "@sallyport/crypto";
import { MemoryStorage } from "@sallyport/storage-memory";
import { until } from "@sallyport/test-kit/jest/until";
import { Patrol } from "../../src/background/patrol.ts";
import { StorageEngines } from "../../src/composition/storages/storage-engines.ts";
import type { StorageConfiguration } from "../../src/configuration/index.ts";
import type { ServedDatabases } from "../../src/databases/served-databases.ts";
import { seedDemo } from "../../src/demo/index.ts";
import { loadConfiguration, type RunningServer, startServer } from "../../src/index.ts";
import { logIn } from "../cases/run-cases.ts";
import { call, checkSession } from "../client.ts";
import { testEnvironment, tuningOf } from "../test-environment.ts";

/** Storages in memory that take the place of databases on a server, and outlive the servers of the test. */
class KeptStorages extends StorageEngines {
  readonly kept = new Map<string, MemoryStorage>();

  override async open(configuration: StorageConfiguration): Promise<MemoryStorage> {
    const schema = "schema" in configuration ? configuration.schema : "";
    const storage = this.kept.get(schema) ?? new MemoryStorage();
    this.kept.set(schema, storage);
    return storage;
  }

  override async facts(): Promise<null> {
    return null;
  }

  override async openWriters(): Promise<readonly []> {
    return [];
  }

  override async close(): Promise<void> {}
}

/** More databases than a server keeps awake. */
const many = 34;

describe("databases that rest", () => {
  const engines = new KeptStorages();
  const servers: RunningServer[] = [];

  afterAll(() => Promise.all(servers.map((each) => each.close())));

  async function start(count: number, migrateOnStart = false): Promise<RunningServer> {
    const databases = Array.from({ length: count }, (_, index) => {
      return { alias: `a${index}`, storage: { url: "postgres://sallyport@127.0.0.1:1/main", migrateOnStart } };
    });
    const configuration = loadConfiguration({ content: { databases }, environment: testEnvironment });
    const server = await startServer(configuration, undefined, engines, undefined, tuningOf({}));
    servers.push(server);
    return server;
  }

  async function seed(server: RunningServer, alias: string): Promise<Database> {
    const database = server.databases.get(alias) as Database;
    const hasher = await Argon2PasswordHasher.create({ memoryCost: 8, timeCost: 1 });
    await seedDemo(database.storage, { hasher, digests: new NodeDigests(), clientHash: "md5", alias, files: null });
    return database;
  }

  const statesOf = async (server: RunningServer) =>
    (await (await fetch(`${server.url}/readyz`)).json()) as { ready: boolean; databases: Record<string, string> };

  test("a few databases never rest", async () => {
    const server = await start(3, true);
    expect((await statesOf(server)).databases).toEqual({ a0: "ok", a1: "ok", a2: "ok" });
  });

  test("among many, all but the first of a database server rest until their first request", async () => {
    await start(many, true);
    const server = await start(many);
    const before = await statesOf(server);
    expect([before.ready, before.databases["a0"], before.databases["a1"], before.databases["a33"]]).toEqual([
      true,
      "ok",
      "resting",
      "resting",
    ]);
    expect((await call(server, "/a33/_CheckService")).code).toBe("0");
    // The states are at most a second old.
    await until(async () => (await statesOf(server)).databases["a33"] === "ok");
    expect((await statesOf(server)).databases["a1"]).toBe("resting");
  });

  test("a ban that began during the rest is in force for the first request", async () => {
    const former = await start(2);
    const database = await seed(former, "a1");
    const sessionId = await logIn(former, "demo", {}, "/a1");
    const subject = { url: `${former.url}/a1` };
    expect(await checkSession(subject, sessionId)).toBe("0");
    await former.close();
    const from = (await database.storage.now()) + 200;
    await addBan(administrationOf(database), { user: "demo", reason: "", from, until: null });

    const server = await start(many);
    await until(async () => (await database.storage.now()) > from);
    expect((await statesOf(server)).databases["a1"]).toBe("resting");
    expect(await checkSession({ url: `${server.url}/a1` }, sessionId)).not.toBe("0");
  });

  test("the patrol visits each database that rests, one after the other", async () => {
    const server = await start(many);
    const databases = server.databases as ServedDatabases;
    await call(server, "/a1/_CheckService");
    const visited: string[] = [];
    const patrol = new Patrol(databases, async ({ alias }) => void visited.push(alias));
    for (let visit = 0; visit < many - 2; visit += 1) await patrol.next();
    expect(visited.toSorted()).toEqual(
      [...databases.keys()].filter((alias) => alias !== "a0" && alias !== "a1").toSorted(),
    );
  });
});
