import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jest } from "@jest/globals";
import type { Storage } from "@sallyport/storage";
import { createMariadbKnex, KnexStorage, MariadbStorage } from "@sallyport/storage-knex";
import { MemoryStorage } from "@sallyport/storage-memory";
import { openEmbeddedEngine } from "@sallyport/storage-pglite";
import { openRealMariadb, type RealMariadb } from "@sallyport/test-kit/databases/mariadb";
import type { RowDataPacket } from "mysql2";
import { until } from "@sallyport/test-kit/jest/until";
import type { RunningServer } from "../../src/index.ts";
import { startConfiguredServer } from "../demo-server.ts";
import { moveThrough } from "../archives/move-through.ts";
import { type Ended, operatorProgram, ServerProcess } from "../processes/server-process.ts";

describe("commands", () => {
  jest.setTimeout(120_000);

  const folder = mkdtempSync(join(tmpdir(), "sallyport-mariadb-"));
  let mariadb: RealMariadb;
  let database: string;
  let owner: string;
  let worker: string;
  let at: string;

  beforeAll(async () => {
    mariadb = await openRealMariadb();
    database = mariadb.freshName();
    owner = `owner_${database.slice(-12)}`;
    worker = `worker_${database.slice(-12)}`;
    const { hostname, port } = new URL(mariadb.url);
    at = `${hostname}:${port || "3306"}`;
    for (const account of [owner, worker]) await mariadb.admin.query(`create user '${account}'@'%' identified by 'pw'`);
  });
  afterAll(async () => {
    for (const account of [owner, worker]) await mariadb.admin.query(`drop user '${account}'@'%'`);
    await mariadb.close();
    rmSync(folder, { recursive: true });
  });

  function run(args: readonly string[], account: string, password?: string): Promise<Ended> {
    return new ServerProcess(args, { NODE_ENV: "production", DATABASE_URL: urlOf(account, password) }, folder).ended;
  }

  function operate(words: readonly string[], account: string): Promise<Ended> {
    const environment = { NODE_ENV: "production", DATABASE_URL: urlOf(account) };
    return new ServerProcess(["--local", ...words], environment, folder, "", operatorProgram).ended;
  }

  function urlOf(account: string, password = "pw"): string {
    return `mariadb://${account}:${password}@${at}/${database}`;
  }

  test("migrate reports a refused account, without its password", async () => {
    const { code, stderr } = await run(["migrate"], owner, "open-sesame");
    expect(code).toBe(1);
    expect(stderr).toContain(`The MariaDB server at ${at} refused the account "${owner}"`);
    expect(stderr).not.toContain("open-sesame");
  });

  test("migrate prints how to create the database, and succeeds afterwards", async () => {
    const refused = await run(["migrate"], owner);
    expect(refused.code).toBe(1);
    const [, remedy = ""] = /Run as an administrator: (.*)\n$/.exec(refused.stderr) ?? [];
    expect(remedy).toContain(`create database ${database}`);
    await mariadb.admin.query(remedy);
    await expect(run(["migrate"], owner)).resolves.toMatchObject({ code: 0, stderr: "" });
    await expect(run(["check-config"], owner)).resolves.toMatchObject({
      code: 0,
      stdout: expect.stringContaining('"engine": "mariadb"'),
    });
  });

  test("doctor finds nothing to correct in a new database", async () => {
    const environment = {
      NODE_ENV: "production",
      DATABASE_URL: urlOf(owner),
      MASTER_KEY: randomBytes(32).toString("base64"),
    };
    const { code, stdout } = await new ServerProcess(["doctor", "--json"], environment, folder).ended;
    const findings = JSON.parse(stdout) as { check: string; level: string }[];
    expect([code, findings.filter(({ level }) => level !== "ok")]).toEqual([0, []]);
    const checks = ["engine", "rights", "timeout", "clock", "schema", "connections"];
    expect(findings.map(({ check }) => check)).toEqual(expect.arrayContaining(checks));
  });

  test("the demo is seeded, and an account without the right to change tables can serve it", async () => {
    const file = join(folder, "seed.json");
    writeFileSync(file, JSON.stringify({ databases: [{ storage: { url: urlOf(owner) } }] }));
    await expect(new ServerProcess(["seed", "--config", file], {}, folder).ended).resolves.toMatchObject({
      code: 0,
      stdout: "Added the demo data.\n",
    });
    await mariadb.admin.query(`grant select, insert, update, delete, execute on ${database}.* to '${worker}'@'%'`);
    const listed = await operate(["user", "list", "--json"], worker);
    expect(listed).toMatchObject({ code: 0 });
    expect(listed.stdout).toContain('"demo"');
    await expect(operate(["app", "create", "another"], worker)).resolves.toMatchObject({ code: 0 });
    const doctor = async (account: string) => {
      const { stdout } = await run(["doctor"], account);
      return stdout.split("\n").filter((line) => / (?:rights|timeout|connections|schema): /.test(line));
    };
    expect(await doctor(owner)).toEqual([
      expect.stringMatching(/^ok {6}rights: /),
      expect.stringMatching(/^ok {6}timeout: .* 30000 ms/),
      expect.stringMatching(/^ok {6}schema: /),
      expect.stringMatching(/^ok {6}connections: /),
    ]);
    expect((await doctor(worker))[0]).toMatch(/^warning rights: .* not migrate or create indexes/);
    await mariadb.admin.query(`revoke delete on ${database}.* from '${worker}'@'%'`);
    expect((await doctor(worker))[0]).toMatch(/^error {3}rights: .* lacks DELETE on /);
    const [rows] = await mariadb.admin.query<RowDataPacket[]>(
      `select count(*) as count from ${database}.records where kind = 'application' and id = 'another'`,
    );
    expect(rows).toEqual([{ count: 1 }]);
    await mariadb.admin.query(`grant delete on ${database}.* to '${worker}'@'%'`);
  });

  describe("readiness", () => {
    let server: RunningServer;
    beforeAll(async () => {
      server = await startConfiguredServer({ databases: [{ storage: { url: urlOf(worker) } }] });
    });
    afterAll(() => server.close());

    async function becomes(expected: object): Promise<void> {
      const readiness = async () => {
        const answer = await fetch(`${server.url}/readyz`);
        const { databases } = (await answer.json()) as { databases: Readonly<Record<string, string>> };
        return { status: answer.status, state: databases["(empty)"] };
      };
      await until(async () => JSON.stringify(await readiness()) === JSON.stringify(expected), { seen: readiness });
      expect(await readiness()).toEqual(expected);
    }

    // A limit on temporary tables fails a write to one as a full disk does. Only new connections of the account get it.
    test.each([
      [
        "a read-only server",
        "read_only = 1",
        "read_only = 0",
        "Unable to connect to RAS server: The database is read-only.",
      ],
      [
        "a server without space",
        () =>
          `init_connect = 'set tmp_disk_table_size = if(current_user() like "${worker}@%", 1024, @@tmp_disk_table_size)'`,
        "init_connect = ''",
        "The server is currently unavailable: The disk of the database is full.",
      ],
    ])("reports %s", async (_title, setting, before, state) => {
      await becomes({ status: 200, state: "ok" });
      await mariadb.admin.query(`set global ${typeof setting === "string" ? setting : setting()}`);
      try {
        await mariadb.admin.query(`kill user '${worker}'@'%'`);
        await becomes({ status: 503, state });
      } finally {
        await mariadb.admin.query(`set global ${before}; kill user '${worker}'@'%'`);
      }
      await becomes({ status: 200, state: "ok" });
    });
  });
});

describe("archive round trip", () => {
  jest.setTimeout(300_000);

  test("an archive passes through MariaDB and the embedded engine, and stays the same", async () => {
    const server = await openRealMariadb();
    const { knex, close } = await createMariadbKnex({
      url: server.url,
      connectTimeout: 5_000,
      statementTimeout: 10_000,
      pool: { max: 8, acquireTimeout: 5_000, maxPendingAcquires: 100 },
    });
    const engine = await openEmbeddedEngine({ dataDir: "memory://" });
    const targets: Storage[] = [
      new MariadbStorage({ knex, database: server.freshName() }),
      new KnexStorage({ knex: engine.knex, schema: "sallyport", capabilities: engine.capabilities }),
      new MariadbStorage({ knex, database: server.freshName() }),
      new MemoryStorage(),
    ];
    try {
      const { original, copies } = await moveThrough(targets);
      expect(copies).toEqual(targets.map(() => original));
    } finally {
      await Promise.all(targets.map((storage) => storage.close()));
      await close();
      await Promise.all([server.close(), engine.close()]);
    }
  });
});
