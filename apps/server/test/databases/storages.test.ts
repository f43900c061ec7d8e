import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openEmbeddedEngine } from "@sallyport/storage-pglite";
import { TcpRelay } from "@sallyport/test-kit/network/tcp-relay";
import { until } from "@sallyport/test-kit/jest/until";
import { StartError } from "../../src/composition/start-error.ts";
import { loadConfiguration, type RunningServer, startServer } from "../../src/index.ts";
import { logIn } from "../cases/run-cases.ts";
import { call, checkSession, tryLogIn } from "../client.ts";
import { copyEmbeddedDemo } from "../copy-embedded-demo.ts";
import { startConfiguredServer, startSeededServer } from "../demo-server.ts";
import { openPostgresFixture, type PostgresFixture } from "../postgres-fixture.ts";
import { runCommand } from "../processes/run-command.ts";
import { testEnvironment } from "../test-environment.ts";

describe("storages", () => {
  const moduleAt = (name: string) => fileURLToPath(new URL(`modules/${name}.mjs`, import.meta.url));
  const storageOf = (name: string, options: object = {}) => ({ engine: "module", module: moduleAt(name), options });

  describe("server with a storage from a module", () => {
    let server: RunningServer;
    beforeAll(async () => {
      server = await startSeededServer([
        storageOf("memory-storage", { name: "first" }),
        storageOf("memory-kernel", { name: "second" }),
      ]);
    });
    afterAll(() => server.close());

    test("migrates it at the start, and works with it", async () => {
      const { sessionId } = (await tryLogIn(server, "demo")).body.data;
      expect(
        (await call(server, "/v1/object/Customer", { method: "POST", sessionId, body: { Name: "New" } })).code,
      ).toBe("0");
      expect((await call(server, "/v1/objects/Invoice?perPage=1", { sessionId })).body.data["~Count"]).toBe(1_000);
      expect(server.databases.get("")?.storage).not.toBe(server.databases.get("second")?.storage);
    });
  });

  describe("a storage module is refused at the start", () => {
    test.each<[string, object, RegExp]>([
      [
        "that does not exist",
        { engine: "module", module: "/nowhere/adapter.js" },
        /^The storage module \/nowhere\/adapter\.js cannot be loaded: /,
      ],
      [
        "whose package is not installed",
        { engine: "module", module: "no-such-adapter" },
        /^The storage module no-such-adapter cannot be loaded: Cannot find module 'no-such-adapter'/,
      ],
      [
        "without the required function",
        storageOf("no-function"),
        /no-function\.mjs exports neither a function openKernel nor openStorage\.$/,
      ],
      [
        "that refuses its options",
        storageOf("memory-storage"),
        /memory-storage\.mjs failed to open a storage: The option name is missing\.$/,
      ],
      [
        "that opens something else",
        storageOf("no-storage"),
        /opened an invalid storage: archive, transaction, batch, migrate, alignIndexes, readyIndexes are missing\.$/,
      ],
      [
        "whose storage lacks a call",
        storageOf("incomplete-storage"),
        /opened an invalid storage: objects\.find is missing\.$/,
      ],
      [
        "whose kernel lacks a method",
        storageOf("other-kernels", { lacks: "migrate" }),
        /opened an invalid kernel: migrate is missing\.$/,
      ],
      [
        "for a later version of the kernel",
        storageOf("other-kernels", { version: 99 }),
        /is for version 99 of the kernel interface, and this server for version 1\.$/,
      ],
    ])("%s", async (_what, storage, message) => {
      const configuration = loadConfiguration({ content: { databases: [{ storage }] }, environment: testEnvironment });
      const refusal = await startServer(configuration).catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(StartError);
      expect((refusal as StartError).message).toMatch(message);
    });
  });

  const startTimeout = 180_000;

  describe("endless statement on the embedded engine", () => {
    let directory: string;
    let server: RunningServer;
    let sessionId: string;

    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), "sallyport-"));
      await copyEmbeddedDemo(directory);
      await makeEndless(directory);
      const storage = { engine: "embedded", dataDir: directory, statementTimeout: "1s" };
      server = await startConfiguredServer({
        databases: [{ alias: "", storage: { ...storage, schema: "sallyport_demo" } }],
      });
      sessionId = await logIn(server, "demo");
    }, startTimeout);
    afterAll(async () => {
      await server.close();
      await rm(directory, { recursive: true });
    });

    const create = (name: string) =>
      call(server, "/v1/object/Customer", { method: "POST", sessionId, body: { Name: name } });

    test(
      "is answered 706, is rolled back, and does not affect the next requests",
      async () => {
        expect((await create("Acknowledged")).code).toBe("0");
        const { status, code, body } = await create("Endless");
        expect({ status, code }).toEqual({ status: 503, code: "706" });
        expect(JSON.stringify(body)).not.toMatch(/insert|statement|sql/i);
        expect((await create("After")).code).toBe("0");
        const query = encodeURIComponent(
          JSON.stringify({ where: { Name: { $in: ["Acknowledged", "Endless", "After"] } } }),
        );
        const { data } = (await call(server, `/v1/objects/Customer?query=${query}`, { sessionId })).body;
        expect(data["~Elements"].map(({ Name }: { Name: string }) => Name)).toEqual(["Acknowledged", "After"]);
      },
      startTimeout,
    );

    test("is recovered like one of a server after a copy of the directory was put back", async () => {
      const before = await logIn(server, "demo");
      const config = join(directory, "recover.json");
      const storage = { engine: "embedded", dataDir: directory, schema: "sallyport_demo" };
      await writeFile(config, JSON.stringify({ databases: [{ alias: "", storage }] }));
      const recover = (...args: string[]) => runCommand(["recover", ...args, "--config", config], {}, directory);
      expect((await recover()).stdout).toContain("There is nothing to recover.");
      expect((await recover("--force", "--all-sessions")).stdout).toContain("The database is recovered.");
      expect(await checkSession(server, before)).toBe("201");
      sessionId = await logIn(server, "demo");
    });

    test(
      "delays waiting requests and fails none of them",
      async () => {
        const endless = create("Endless");
        const others = await Promise.all(Array.from({ length: 12 }, (_, n) => create(`Behind ${n}`)));
        expect(others.map(({ code }) => code)).toEqual(Array<string>(12).fill("0"));
        expect((await endless).code).toBe("706");
      },
      startTimeout,
    );
  });

  /** From here on the creation of one customer never ends. */
  async function makeEndless(dataDir: string): Promise<void> {
    const engine = await openEmbeddedEngine({ dataDir, durable: false });
    await engine.knex.raw(`
    create function sallyport_demo.run_endlessly() returns trigger language plpgsql as $$ begin loop end loop; end $$;
    create trigger endless before insert on sallyport_demo.objects for each row
      when (new.attributes ->> 'Name' = 'Endless') execute function sallyport_demo.run_endlessly()`);
    await engine.close();
  }

  /** A server with one working database and several broken ones. */
  describe("several databases", () => {
    let postgres: PostgresFixture;
    let relay: TcpRelay;
    let server: RunningServer;
    let sessionId: string;
    beforeAll(async () => {
      postgres = await openPostgresFixture();
      await (await postgres.demo()).close();
      relay = new TcpRelay(new URL(postgres.url));
      await relay.listen();
      const storage = { engine: "postgres", url: postgres.url };
      server = await postgres.configured({
        databases: [
          { alias: "", name: "demo", storage: { ...storage, schema: "sallyport_demo" } },
          { alias: "unconfigured" },
          { alias: "unmigrated", storage: { ...storage, schema: "not_there_yet" } },
          { alias: "flaky", storage: { engine: "postgres", url: relay.url, schema: "sallyport_demo_second" } },
          { alias: "down", storage: { engine: "postgres", url: "postgres://nobody@127.0.0.1:9/nothing" } },
          {
            alias: "narrow",
            storage: {
              ...storage,
              url: `${postgres.url}?application_name=narrow`,
              schema: "sallyport_demo_second",
              pool: { max: 1, acquireTimeout: "1s", maxWaiting: 1 },
              statementTimeout: "20s",
            },
          },
        ],
      });
      sessionId = await logIn(server, "demo");
    }, 60_000);
    afterAll(async () => {
      await relay.refuse();
      await postgres.close();
    });

    const others = async () => expect(await checkSession(server, sessionId)).toBe("0");
    const service = (alias: string) => call(server, `/${alias}/_CheckService`);

    test.each([
      ["unconfigured", 500, "705"],
      ["unmigrated", 500, "705"],
      ["down", 500, "704"],
    ])(
      "a database that is %s answers %i/%s on every route and leaves the others working",
      async (alias, status, code) => {
        const at = { url: `${server.url}/${alias}` };
        for (const answer of [
          await service(alias),
          await tryLogIn(at, "demo"),
          await call(at, "/v1/objects/Customer", { sessionId }),
        ]) {
          expect(answer).toMatchObject({ status, code });
          expect(JSON.stringify(answer.body)).not.toMatch(/ECONN|127\.0\.0\.1|not_there|relation|schema/i);
        }
        expect(await call(server, `/${alias}/v1/nothing`)).toMatchObject({ status: 404, code: "304" });
        await others();
      },
    );

    test("an unmigrated database serves as soon as it is migrated", async () => {
      const database = server.databases.get("unmigrated");
      await database?.storage.migrate();
      expect(await service("unmigrated")).toMatchObject({ status: 200, code: "0" });
    });

    test("an unreachable database answers 704 and recovers by itself", async () => {
      expect(await service("flaky")).toMatchObject({ code: "0" });
      await relay.refuse();
      for (let n = 0; n < 3; n += 1) expect(await service("flaky")).toMatchObject({ status: 500, code: "704" });
      await others();
      await relay.listen();
      expect(await service("flaky")).toMatchObject({ status: 200, code: "0" });
    });

    test("a connection killed during a request is answered 704, and the next request is served", async () => {
      const blocked = await blockedBy("lock table sallyport_demo_second.app_keys", async () => {
        const { rows } = await postgres.sql.query(
          "select pg_terminate_backend(pid) from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
        );
        expect(rows).toHaveLength(1);
      });
      expect(blocked).toMatchObject({ status: 500, code: "704" });
      expect(await service("flaky")).toMatchObject({ code: "0" });
      await others();
    });

    test("a database without free connections answers 607", async () => {
      let refused: Awaited<ReturnType<typeof service>>[] = [];
      const blocked = await blockedBy(
        "lock table sallyport_demo_second.app_keys",
        async () => {
          refused = await Promise.all([service("narrow"), service("narrow"), service("narrow")]);
        },
        "narrow",
      );
      expect(refused.map(({ status, code }) => `${status}/${code}`)).toEqual(Array<string>(3).fill("503/607"));
      expect(blocked).toMatchObject({ status: 200 });
      expect(await service("narrow")).toMatchObject({ code: "0" });
      await others();
    });

    test("a database in maintenance answers 706 with the time to retry", async () => {
      const database = server.databases.get("");
      await database?.storage.repositories.settings.setMaintenance(true);
      const refused = await tryLogIn(server, "demo");
      expect(refused).toMatchObject({ status: 503, code: "706", headers: { "retry-after": "60" } });
      expect(await checkSession(server, sessionId)).toBe("706");
      expect((await service("narrow")).code).toBe("0");
      await database?.storage.repositories.settings.setMaintenance(false);
      await others();
    });

    /** Sends a request that a lock blocks, runs a callback while it waits, releases the lock and returns the answer. */
    async function blockedBy(lock: string, whileBlocked: () => Promise<void>, alias = "flaky") {
      const { sql } = postgres;
      // With a free connection, only the lock can block the request.
      await service(alias);
      await sql.query("begin");
      await sql.query(lock);
      let early: unknown;
      const answer = service(alias).finally(() => {
        early = "answered";
      });
      try {
        // For so long that no other request joins its connection.
        const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()
          and query_start < clock_timestamp() - interval '50 milliseconds'`;
        await until(async () => {
          expect(early).toBeUndefined();
          return (await sql.query(waiting)).rowCount !== 0;
        });
        await whileBlocked();
      } finally {
        await sql.query("rollback");
      }
      return answer;
    }
  });
});
