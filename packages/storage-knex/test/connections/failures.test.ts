import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { inspect } from "node:util";
import { ServiceError } from "@sallyport/storage";
import { Applications } from "@sallyport/core";
import { until } from "@sallyport/test-kit/jest/until";
import { runOn, withConnection } from "../../src/dialects/postgres/connection.ts";
import { KnexStorage, createPostgresKnex, type PostgresKnex } from "../../src/index.ts";
import { codeOf, newSession, openPolicy } from "../sample.ts";
import { openTestDatabase, startTimeout, type TestDatabase } from "../test-database.ts";

describe("database failures", () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await openTestDatabase({ migrated: true });
  }, startTimeout);
  afterAll(() => database.drop());

  const storageOver = ({ knex }: PostgresKnex) => new KnexStorage({ knex, schema: "test" });
  const sleepQuery = ({ knex }: PostgresKnex) =>
    withConnection(knex, (connection) => runOn(connection, { text: "select pg_sleep(30)" }));

  /** Ends the server side of all connections with this name after one of them runs a sleeping query. */
  async function terminate(applicationName: string): Promise<void> {
    const sleeping =
      "select from pg_stat_activity where datname = current_database() and application_name = $1 and wait_event = 'PgSleep'";
    await until(async () => (await database.admin.query(sleeping, [applicationName])).rowCount !== 0);
    await database.admin.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = $1",
      [applicationName],
    );
  }

  test("fail a query with 704 if its connection is terminated, and the next call gets another connection", async () => {
    const engine = database.connect({ url: database.directUrl, applicationName: "ended" });
    const storage = storageOver(engine);
    const sleeping = codeOf(sleepQuery(engine));
    await terminate("ended");
    expect(await sleeping).toBe(704);
    expect(await storage.repositories.sessions.count()).toBe(0);
  });

  test("fail and roll back a transaction with 704 if its connection is terminated", async () => {
    const storage = storageOver(
      database.connect({ url: database.directUrl, applicationName: "cut", pool: { max: 1 } }),
    );
    const cut = storage.transaction(async (r) => {
      await r.sessions.open(newSession("lost"), openPolicy);
      await database.admin.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'cut'",
      );
      await r.sessions.count();
    });
    expect(await codeOf(cut)).toBe(704);
    expect(await storage.repositories.sessions.count()).toBe(0);
  });

  test("keep the own timeout of a slow statement", async () => {
    const { knex } = database.connect({ applicationName: "slow" });
    await expect(
      withConnection(knex, (connection) => runOn(connection, { text: "select pg_sleep(6)" })),
    ).resolves.toMatchObject({ rowCount: 1 });
  }, 20_000);

  test("return 705 for an unknown database and 704 for a refused log-in, without the password in any error", async () => {
    const unknown = new URL(database.directUrl);
    unknown.pathname = "no_such_database";
    expect(await codeOf(storageOver(database.connect({ url: unknown.href })).health())).toBe(705);

    const stranger = new URL(database.directUrl);
    stranger.username = "no_such_role";
    stranger.password = "open-sesame";
    const error = await storageOver(database.connect({ url: stranger.href }))
      .health()
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 704 });
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain("open-sesame");

    const settings = {
      pool: { max: 1, acquireTimeout: 1, maxPendingAcquires: 1 },
      connectTimeout: 1,
      statementTimeout: 1,
    };
    const unreadable = () => createPostgresKnex({ ...settings, url: "postgres://user:open-sesame@host:port/" });
    expect(unreadable).toThrow(expect.not.objectContaining({ message: expect.stringContaining("open-sesame") }));
  });

  test("return 607 without a free connection: after the wait timeout, or immediately with too many waiting calls", async () => {
    const engine = database.connect({
      url: database.directUrl,
      applicationName: "busy",
      pool: { max: 1, acquireTimeout: 2_000, maxPendingAcquires: 2 },
    });
    const storage = storageOver(engine);
    await storage.health();
    const sleeping = codeOf(sleepQuery(engine));
    const refused: string[] = [];
    // A batch of calls would share one connection and wait for it once.
    const waiting: Promise<unknown>[] = [];
    for (let caller = 1; caller <= 2; caller += 1) {
      waiting.push(codeOf(storage.repositories.sessions.count()).finally(() => refused.push("in time")));
      await Promise.resolve();
    }
    expect(await codeOf(storage.repositories.sessions.count()).finally(() => refused.push("at once"))).toBe(607);
    expect(refused).toEqual(["at once"]);
    expect(await Promise.all(waiting)).toEqual([607, 607]);
    await terminate("busy");
    expect(await sleeping).toBe(704);
    expect(await storage.repositories.sessions.count()).toBe(0);
  });

  test("return the refusal of a pooler that refuses what the address asks for", async () => {
    const message = "SFATAL\0C08P01\0Munsupported startup parameter: options\0\0";
    const refusal = Buffer.alloc(5 + message.length);
    refusal.write("E");
    refusal.writeInt32BE(4 + message.length, 1);
    refusal.write(message, 5);
    let connections = 0;
    const pooler = createServer((socket) => {
      connections += 1;
      socket.on("error", () => {}).once("data", () => socket.end(refusal));
    });
    await once(pooler.listen(0, "127.0.0.1"), "listening");
    const { port } = pooler.address() as AddressInfo;
    const url = `postgres://role@127.0.0.1:${port}/database?sslmode=disable&options=-c%20geqo%3Doff`;
    const error = await storageOver(database.connect({ url }))
      .health()
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 704, cause: { code: "08P01" } });
    expect(connections).toBe(2);
    pooler.close();
  });

  test("return 706 after a statement timeout and keep the connection", async () => {
    const engine = database.connect({ url: database.directUrl, statementTimeout: 500, pool: { max: 1 } });
    expect(await codeOf(sleepQuery(engine))).toBe(706);
    expect(await storageOver(engine).repositories.sessions.count()).toBe(0);
  });

  test("return 799 for an unexpected error, with the driver error as its cause only", async () => {
    const { knex } = database.connect();
    const call = withConnection(knex, (connection) => runOn(connection, { text: "select 1 / 0" }));
    const error = await call.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({ code: 799, detail: undefined, cause: { code: "22012" } });
    expect((error as Error).message).not.toContain("zero");
  });

  test("return 307 for an unstorable text in a write and no result in a lookup", async () => {
    const { repositories: r } = database.storage();
    expect(await codeOf(r.objects.insert([{ className: "File", attributes: { Name: "a\0b" } }]))).toBe(307);
    expect(await codeOf(r.sessions.open(newSession("zero", { deviceId: "a\0b" }), openPolicy))).toBe(307);
    for (const text of ["a\0b", "a\ud800b"]) {
      expect(await r.accounts.find({ realm: "database", loginName: text }, [])).toMatchObject({ account: null });
      expect(await new Applications(r.records).existing([text])).toEqual([]);
      expect(await r.appKeys.listsOrigin(text)).toBe(false);
    }
  });

  test("return 706 after close, which waits for running work and keeps shared connections open", async () => {
    const engine = database.connect();
    let released = 0;
    const one = new KnexStorage({ knex: engine.knex, schema: "test", onClose: async () => void (released += 1) });
    const other = storageOver(engine);
    const order: string[] = [];
    const running = one.transaction(async (r) => {
      await r.sessions.count();
      order.push("work");
    });
    const closing = one.close().then(() => order.push("closed"));
    expect(await codeOf(one.repositories.sessions.count())).toBe(706);
    expect(await codeOf(one.transaction(async () => {}))).toBe(706);
    await Promise.all([running, closing, one.close()]);
    expect(order).toEqual(["work", "closed"]);
    expect(released).toBe(1);
    expect(await Promise.all([one.health(), one.migrate(), one.now()].map(codeOf))).toEqual([706, 706, 706]);
    expect(await other.repositories.sessions.count()).toBe(0);
  });

  test("return 706 after the connections are destroyed externally", async () => {
    const engine = database.connect();
    const storage = storageOver(engine);
    await storage.health();
    await engine.close();
    expect(await codeOf(storage.health())).toBe(706);
  });
});
