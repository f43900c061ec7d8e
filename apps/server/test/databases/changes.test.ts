import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { SallyportAdmin } from "@sallyport/client/admin";
import { administrationOf, type Database, putSyncSchema, sealJson } from "@sallyport/core";
import { AesGcmKeyWrapping, Argon2PasswordHasher, NodeDigests } from "@sallyport/crypto";
import { openEmbeddedEngine } from "@sallyport/storage-pglite";
import { type Logger, pino } from "pino";
import { until } from "@sallyport/test-kit/jest/until";
import { seedDemo } from "../../src/demo/index.ts";
import type { DatabaseConfiguration, ServerStorage } from "../../src/configuration/index.ts";
import { MoveFollower } from "../../src/databases/move-follower.ts";
import { type Configuration, loadConfiguration, type RunningServer, startServer } from "../../src/index.ts";
import { administrationKey, administrator } from "../administration/administration-fixture.ts";
import { logIn } from "../cases/run-cases.ts";
import { call, checkSession, tryLogIn } from "../client.ts";
import { copyEmbeddedDemo } from "../copy-embedded-demo.ts";
import { openPostgresFixture } from "../postgres-fixture.ts";
import { readBarrier } from "../read-barrier.ts";
import { repositoriesOf } from "../repositories-of.ts";
import { testEnvironment, tuned, tuningOf } from "../test-environment.ts";
import { newUser } from "../new-user.ts";
import { MailFolder } from "../mail/mail-folder.ts";

const memory = { engine: "memory" };
const main = { alias: "", name: "demo", storage: memory };

/** Adds, changes and removes databases of a running server. */
describe("databases of a running server", () => {
  const mail = new MailFolder();
  const directory = mkdtempSync(join(tmpdir(), "sallyport-changes-"));
  let server: RunningServer;
  let lines: Record<string, unknown>[] = [];
  const logged = () =>
    lines
      // Indexes are built in the background.
      .filter(({ msg }) => msg !== "Request completed" && msg !== "Indexes updated")
      .map(({ msg, alias }) => (alias === undefined ? msg : `${String(msg)}: ${String(alias)}`));

  afterEach(() => server.close());
  afterAll(() => {
    rmSync(directory, { recursive: true });
  });

  const configured = (databases: readonly object[], more: object = {}): Configuration =>
    loadConfiguration({
      content: { databases, ...more },
      environment: { ...testEnvironment, ...mail.environment },
    });

  async function start(databases: readonly object[], more: object = {}): Promise<void> {
    lines = [];
    const logger = pino({ level: "info" }, { write: (line: string) => void lines.push(JSON.parse(line)) });
    const tuning = tuningOf({ ...mail.environment, ...tuned({ cleanupInterval: 1_000 }) });
    server = await startServer(configured(databases, more), logger, undefined, undefined, tuning);
    for (const { alias } of databases as { alias: string }[]) await seed(alias);
    lines = [];
  }

  /** Adds the demo to a database in memory. */
  async function seed(alias: string): Promise<void> {
    const database = databaseOf(alias);
    const hasher = await Argon2PasswordHasher.create({ memoryCost: 8, timeCost: 1 });
    const parts = { hasher, digests: new NodeDigests(), clientHash: "md5", alias, files: null } as const;
    await seedDemo(database.storage, parts);
  }

  const databaseOf = (alias: string) => server.databases.get(alias) as Database;

  const reload = (databases: readonly object[], more: object = {}) => server.reload(configured(databases, more));

  /** Answers of a database: 304 if its alias is unknown. */
  const codeOf = (alias: string) => call(server, `${alias}/_CheckService`).then(({ code }) => code);

  /** A request that waits in the database until `open` is called. */
  async function slowRequest(alias: string) {
    const sessionId = await logIn(server, "demo", {}, alias);
    const { data } = (await call(server, `${alias}/v1/objects/Customer?perPage=1`, { sessionId })).body;
    const id = data["~Elements"][0]["~ObjectID"];
    const barrier = readBarrier(repositoriesOf(server, alias.slice(1)), id);
    const answer = call(server, `${alias}/v1/object/${id}`, { sessionId });
    await barrier.reached;
    return { answer, open: barrier.open, sessionId };
  }

  test("an added database is migrated and served, with its timers, its outbox and its metrics", async () => {
    await start([main]);
    expect(await codeOf("/added")).toBe("304");
    await reload([main, { alias: "added", storage: memory }]);
    expect(logged()).toEqual([
      expect.stringContaining('the database "added" is in memory'),
      "Database migrated: added",
      "Database added: added",
      "Reloaded",
    ]);
    await seed("added");
    const { sessions } = repositoriesOf(server, "added");
    const swept = new Promise<void>((resolve) => {
      const sweep = sessions.sweep.bind(sessions);
      sessions.sweep = (limit) => {
        resolve();
        return sweep(limit);
      };
    });
    const { name, userId } = await newUser(server, "added");
    const email = "added@mail.example";
    await repositoriesOf(server, "added").accounts.change(userId, { email });
    expect((await call(server, "/added/v1/resetPassword", { method: "POST", body: { user: name } })).code).toBe("0");
    await mail.to(email);
    await swept;
    expect(await (await fetch(`${server.url}/readyz`)).json()).toMatchObject({ databases: { added: "ok" } });
    const metrics = async () => (await fetch(`${server.url}/metrics`)).text();
    expect(await metrics()).toMatch(/^sallyport_mail_waiting\{alias="added"\}/m);
    await reload([main]);
    expect(await metrics()).not.toContain('alias="added"');
  });

  test("an administrator can examine an added database", async () => {
    await start([main]);
    await reload([main, { alias: "added", storage: memory }]);
    await seed("added");
    const appKey = await administrationKey(server, "added");
    const admin = new SallyportAdmin({ baseUrl: server.url, alias: "added", appKey });
    await admin.logIn(administrator);
    expect(await admin.examination.run()).toContainEqual(expect.objectContaining({ check: "schema", level: "ok" }));
  });

  test("a removed database is unknown at once, and a request in progress has its normal answer", async () => {
    await start([main, { alias: "old", storage: memory }]);
    const { storage } = databaseOf("old");
    const { answer, open } = await slowRequest("/old");
    let isReloaded = false;
    const reloading = reload([main]).then(() => (isReloaded = true));
    await until(async () => (await codeOf("/old")) === "304");
    expect(await codeOf("")).toBe("0");
    await storage.health();
    expect(isReloaded).toBe(false);
    open();
    expect(await answer).toMatchObject({ status: 200, code: "0" });
    await reloading;
    await expect(storage.health()).rejects.toBeInstanceOf(Error);
    expect(logged()).toEqual(["Database removed: old", "Reloaded"]);
  });

  test("requests of a removed database have the time limit of the drain", async () => {
    const limited = { server: { timeouts: { drain: "50ms" } } };
    await start([main, { alias: "old", storage: memory }], limited);
    const { answer, open } = await slowRequest("/old");
    await reload([main], limited);
    expect(logged()).toContain("Drain timed out; requests in progress lose their database: old");
    open();
    expect(await answer).toMatchObject({ status: 503, code: "706" });
  });

  test("a changed policy applies to the same data, and a request in progress keeps the old one", async () => {
    await start([main]);
    const { storage } = databaseOf("");
    const { answer, open, sessionId } = await slowRequest("");
    const reloading = reload([main], { sessions: { perUserLimit: 1 } });
    await until(() => logged().includes("Database changed: "));
    expect(databaseOf("").storage).toBe(storage);
    expect(databaseOf("").policy.sessions.perUserLimit).toBe(1);
    expect((await tryLogIn(server, "demo")).code).not.toBe("0");
    open();
    expect(await answer).toMatchObject({ status: 200, code: "0" });
    await reloading;
    expect(await checkSession(server, sessionId)).toBe("0");
    expect(logged()).not.toContainEqual(expect.stringContaining("Restart the server"));
  });

  test("other sections wait for a restart, and the log names them", async () => {
    await start([main]);
    await reload([main], { applicationName: "other", docs: { enabled: false } });
    expect(logged()).toEqual([
      "A reload applies databases only. Restart the server for: applicationName, docs.",
      "Reloaded",
    ]);
    expect((await call(server, "/_CheckService")).body.data.applicationName).toBe("sallyport");
  });

  test("nothing changes if one database cannot be opened", async () => {
    await start([main, { alias: "kept", storage: memory }]);
    const broken = { alias: "broken", storage: { engine: "module", module: "/nowhere/adapter.js" } };
    const next = [{ ...main, sessions: { limit: 7 } }, broken, { alias: "fine", storage: memory }];
    await expect(reload(next)).rejects.toThrow(/^The storage module \/nowhere\/adapter\.js cannot be loaded/);
    expect(await Promise.all(["", "/kept", "/broken", "/fine"].map(codeOf))).toEqual(["0", "0", "304", "304"]);
    expect(databaseOf("").policy.sessions.limit).toBe(0);
  });

  test("reloads are applied one after the other, and the last one counts", async () => {
    await start([main]);
    const [a, b] = ["a", "b"].map((alias) => ({ alias, storage: memory }));
    await Promise.all([reload([main, a as object]), reload([main, b as object]), reload([main, a as object])]);
    expect(await Promise.all(["/a", "/b"].map(codeOf))).toEqual(["0", "304"]);
    expect(logged().filter((each) => /added|removed/.test(String(each)))).toHaveLength(5);
  });

  test("a database without storage gets one, and loses it", async () => {
    const later = { alias: "later" };
    await start([main]);
    await reload([main, later]);
    expect(await codeOf("/later")).toBe("705");
    await reload([main, { ...later, storage: memory }]);
    expect(await codeOf("/later")).toBe("0");
    await reload([main, later]);
    expect(await codeOf("/later")).toBe("705");
  });

  test("a waiting pull of a removed database ends", async () => {
    await start([main, { alias: "old", storage: memory }]);
    const pulls = async (alias: string) => {
      await putSyncSchema(administrationOf(databaseOf(alias)), { name: "all", classes: [{ className: "Customer" }] });
      const path = alias === "" ? "" : `/${alias}`;
      const sessionId = await logIn(server, "demo", {}, path);
      const pull = async (syncVersion: string, wait: number) => {
        const body = { syncVersion, wait, limit: 500 };
        return (await call(server, `${path}/v1/sync/all`, { method: "POST", sessionId, body })).body.data;
      };
      return { pull, syncVersion: (await pull("0", 0)).syncVersion as string };
    };
    const [removed, kept] = [await pulls("old"), await pulls("")];
    const waiting = removed.pull(removed.syncVersion, 20);
    await pause(300);
    await reload([main]);
    const whole = kept.pull(kept.syncVersion, 20).then(() => "waited for the whole time");
    expect(await Promise.race([waiting, whole])).toMatchObject({ changed: [], hasMore: false });
  });

  describe("on the embedded engine", () => {
    const embedded = (dataDir: string, schema: string) => ({ engine: "embedded", dataDir, schema });
    const [first, second] = [join(directory, "first"), join(directory, "second")];

    test("a storage is replaced by one on the same engine, and an engine closes with its last database", async () => {
      await copyEmbeddedDemo(first);
      await copyEmbeddedDemo(second);
      await start([main]);
      const one = { alias: "one", storage: embedded(first, "sallyport_demo") };
      const two = { alias: "two", storage: embedded(second, "sallyport_demo") };
      await reload([main, one, two]);
      const before = await slowRequest("/one");
      const replacing = server.replace("one", {
        ...(configured([main, one]).databases[1] as Configuration["databases"][number]),
        storage: { engine: "embedded", dataDir: first, schema: "sallyport_demo_second", statementTimeout: 5_000 },
      });
      await until(() => logged().includes("Database changed: one"));
      // The other schema has no such session.
      expect((await call(server, "/one/_CheckSession", { sessionId: before.sessionId })).code).toBe("201");
      before.open();
      expect((await before.answer).code).toBe("0");
      await replacing;
      expect((await tryLogIn({ url: `${server.url}/one` }, "demo")).code).toBe("0");
      await reload([main, one]);
      expect((await call(server, "/one/_CheckSession", { sessionId: before.sessionId })).code).toBe("0");
      await (await openEmbeddedEngine({ dataDir: second })).close();
      await expect(openEmbeddedEngine({ dataDir: first })).rejects.toThrow("in use");
      await reload([main]);
      await (await openEmbeddedEngine({ dataDir: first })).close();
    }, 120_000);
  });

  test("a moved database is not followed without the master key of the move, which is logged once", async () => {
    await start([main]);
    const wrapping = () => new AesGcmKeyWrapping(randomBytes(32));
    const storage = { engine: "postgres", url: "postgres://db1/main", schema: "public" } as unknown as ServerStorage;
    const configuration = { ...configured([main]).databases[0], storage } as DatabaseConfiguration;
    const sealedUrl = sealJson(wrapping(), { url: "postgres://db2/main" }, "former place");
    for (const own of [null, wrapping()]) {
      const errors: unknown[] = [];
      const follower = new MoveFollower({
        databases: { configurations: new Map([["", configuration]]) },
        changes: { replace: () => Promise.reject(new Error("It was followed.")) },
        wrapping: own,
        logger: { error: (...line: unknown[]) => void errors.push(line) } as unknown as Logger,
      });
      for (let times = 0; times < 2; times += 1)
        await follower.follow("", storage, { place: "postgres://db2:5432/main", sealedUrl });
      expect(errors).toEqual([
        [
          { alias: "", place: "postgres://db2:5432/main" },
          "Database was moved. Set MASTER_KEY to that of the move, or storage.url to the new place",
        ],
      ]);
      expect(follower.current(configuration)).toBe(configuration);
    }
  });

  test("a moved database is followed after a reload that has changed its other settings", async () => {
    await start([main]);
    const storage = { engine: "postgres", url: "postgres://db1/main", schema: "public" } as unknown as ServerStorage;
    const reloaded = { ...configured([main]).databases[0], storage: { ...storage } } as DatabaseConfiguration;
    const wrapping = new AesGcmKeyWrapping(randomBytes(32));
    const followed: unknown[] = [];
    const follower = new MoveFollower({
      databases: { configurations: new Map([["", reloaded]]) },
      changes: { replace: async (_alias, next) => void followed.push(next(reloaded).storage) },
      wrapping,
      logger: pino({ level: "silent" }),
    });
    const sealedUrl = sealJson(wrapping, { url: "postgres://db2/main" }, "former place");
    await follower.follow("", storage, { place: "postgres://db2:5432/main", sealedUrl });
    expect(followed).toEqual([{ ...storage, url: "postgres://db2/main", readUrls: [] }]);
    await follower.follow("", { ...storage, schema: "other" }, { place: "", sealedUrl });
    expect(followed).toHaveLength(1);
  });

  test("a database is replaced while a change of another waits for a request in progress", async () => {
    const [a, b] = ["a", "b"].map((alias) => ({ alias, storage: memory }));
    await start([main, a as object, b as object]);
    const { answer, open } = await slowRequest("/a");
    const reloading = reload([main, b as object]);
    await until(async () => (await codeOf("/a")) === "304");
    const configuration = configured([main, { alias: "b" }]).databases[1] as DatabaseConfiguration;
    await server.replace("b", configuration);
    expect(await codeOf("/b")).toBe("705");
    open();
    expect(await answer).toMatchObject({ status: 200, code: "0" });
    await reloading;
  });

  test("other connections to the same Postgres replace the pool without losing a request", async () => {
    const postgres = await openPostgresFixture();
    try {
      await (await postgres.demo()).close();
      const database = (pool: object) => [
        { alias: "", name: "demo", storage: { url: postgres.url, schema: "sallyport_demo", pool } },
      ];
      lines = [];
      server = await startServer(configured(database({ max: 2 })));
      const { storage } = databaseOf("");
      const sessionId = await logIn(server, "demo");
      const { answer, open } = await slowRequest("");
      const reloading = reload(database({ max: 3 }));
      await until(() => databaseOf("").storage !== storage);
      expect(await checkSession(server, sessionId)).toBe("0");
      open();
      expect(await answer).toMatchObject({ status: 200, code: "0" });
      await reloading;
      await expect(storage.health()).rejects.toBeInstanceOf(Error);
      expect(await checkSession(server, sessionId)).toBe("0");
    } finally {
      await server.close();
      await postgres.close();
    }
  }, 60_000);
});
