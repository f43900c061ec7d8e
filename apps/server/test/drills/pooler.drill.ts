import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SallyportClient } from "@sallyport/client";
import { createPostgresKnex, KnexStorage } from "@sallyport/storage-knex";
import { type RealPostgres, type ScratchDatabase, startRealPostgres } from "@sallyport/test-kit/databases/postgres";
import pg from "pg";
import { modes } from "../modes.ts";
import { runCommand } from "../processes/run-command.ts";
import { requireVerified } from "../require-intact.ts";
import { ServerProcess } from "../processes/server-process.ts";
import { withoutBudgets } from "../test-environment.ts";

const notInForce = "Connection settings are not in force";
const settings = { statement_timeout: "30s", idle_in_transaction_session_timeout: "30s", jit: "off" };

// `.ci/with-pgbouncer.mjs` sets both addresses.
(process.env["DATABASE_DIRECT_URL"] === undefined ? describe.skip : describe)("behind a pooler", () => {
  const directory = mkdtempSync(join(tmpdir(), "sallyport-"));
  const servers: ServerProcess[] = [];
  let postgres: RealPostgres;
  let database: ScratchDatabase;
  let direct: pg.Client;

  beforeAll(async () => {
    postgres = await startRealPostgres();
  });
  beforeEach(async () => {
    database = await postgres.createDatabase();
    direct = new pg.Client({ connectionString: database.directUrl });
    await direct.connect();
  });
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.kill();
    await direct.end();
    await database.drop();
  });
  afterAll(async () => {
    await postgres.stop();
    rmSync(directory, { recursive: true });
  });

  /** As the settings of a role, for the connections of this database only. */
  const set = async (values: Readonly<Record<string, string>>) => {
    for (const [name, value] of Object.entries(values))
      await direct.query(`alter database ${database.name} set ${name} = '${value}'`);
  };
  const environment = () => ({
    ...withoutBudgets,
    PORT: "0",
    DATA_DIR: directory,
    DATABASE_URL: database.url,
    LOG_LEVEL: "info",
  });
  const serve = async (): Promise<{ readonly server: ServerProcess; readonly url: string }> => {
    const server = new ServerProcess(["serve"], environment(), directory);
    servers.push(server);
    return { server, url: await server.url() };
  };
  const migratedStorage = async (): Promise<KnexStorage> => {
    const { knex, close } = createPostgresKnex({
      url: database.url,
      connectTimeout: 5_000,
      statementTimeout: 30_000,
      pool: { max: 4, acquireTimeout: 5_000, maxPendingAcquires: 10 },
    });
    const storage = new KnexStorage({ knex, schema: "sallyport", onClose: close });
    await storage.migrate();
    return storage;
  };
  const warningsOf = (server: ServerProcess) =>
    server.lines().flatMap(({ msg, finding }) => (msg === notInForce ? [String(finding)] : []));

  test("warns at the start of settings that are not in force, and not of those of the role", async () => {
    const { server } = await serve();
    const warnings = warningsOf(server).toSorted();
    // The demo has two schemas.
    expect(new Set(warnings.map((each) => each.replace(/^The database [^:]*?(?=:| never)/, "")))).toEqual(
      new Set([
        " never ends statements, not after the configured 30000 ms.",
        ": idle_in_transaction_session_timeout = 30000 is not in force.",
        ": jit = off is not in force.",
      ]),
    );
    const other = database;
    database = await postgres.createDatabase();
    await set(settings);
    expect(warningsOf((await serve()).server)).toEqual([]);
    await servers.pop()?.kill();
    const file = join(directory, "doctor.json");
    const storage = { url: database.url, schema: "sallyport_demo" };
    writeFileSync(file, JSON.stringify({ databases: [{ storage }] }));
    const { stdout } = await runCommand(["doctor", "--config", file], {}, directory);
    expect(stdout).toMatch(/^ok {6}timeout: .* 30000 ms\.$/m);
    expect(stdout).not.toMatch(/^\w+ +settings: /m);
    await database.drop();
    database = other;
  }, 120_000);

  test("refuses a role whose transactions are not read committed", async () => {
    await set({ default_transaction_isolation: "repeatable read" });
    const storage = await migratedStorage();
    await expect(storage.health()).rejects.toMatchObject({
      code: 705,
      detail: expect.stringMatching(/read committed/),
    });
    await storage.close();
  });

  test("tells that the time limit of the role ended an index build", async () => {
    await set({ statement_timeout: "1s" });
    const storage = await migratedStorage();
    // The build waits for the end of this transaction.
    await direct.query("begin; lock table sallyport.objects in row exclusive mode");
    const wanted = [{ className: "User", attribute: "Name", type: "string" }] as const;
    await expect(storage.alignIndexes(wanted)).rejects.toMatchObject({
      code: 799,
      detail: expect.stringMatching(/statement_timeout of the role/),
    });
    await direct.query("commit");
    expect(await storage.alignIndexes(wanted)).toMatchObject({ built: wanted });
    await storage.close();
  });

  test("loses and repeats no write of two servers in any log-in mode", async () => {
    await set(settings);
    const started = [await serve(), await serve()];
    const clients = await Promise.all(
      started.flatMap(({ url }) =>
        modes.map(async (mode) => {
          const client = new SallyportClient({ baseUrl: url, appKey: "demo-app-key", timeout: 20_000 });
          await client.logIn({ mode, user: "demo", password: "demo", appNames: ["demo-app"] });
          return client;
        }),
      ),
    );
    const [first] = clients as [SallyportClient];
    const before = await first.countObjects("Customer");
    const rounds = 40;
    const began = performance.now();
    await Promise.all(
      clients.map(async (client, index) => {
        for (let round = 0; round < rounds; round += 1) {
          const { "~ObjectID": id } = await client.createObject("Customer", { Name: `Pooled ${index} ${round}` });
          await client.updateObject(id, { Name: `Pooled ${index} ${round} again` });
          const other = clients[(index + 1) % clients.length] as SallyportClient;
          expect(await other.getObject(id)).toMatchObject({ Name: `Pooled ${index} ${round} again` });
        }
      }),
    );
    const written = clients.length * rounds;
    console.log(`${3 * written} requests by ${clients.length} clients in ${Math.round(performance.now() - began)} ms.`);
    expect(await first.countObjects("Customer")).toBe(before + written);
    await requireVerified(environment(), directory);
  }, 120_000);
});
