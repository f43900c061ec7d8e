import { jest } from "@jest/globals";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { builtInClasses, ServiceError } from "@sallyport/storage";
import { Applications } from "@sallyport/core";
import type { RowDataPacket } from "mysql2";
import { until } from "@sallyport/test-kit/jest/until";
import { runnerOf, runOn, withConnection } from "../../src/dialects/mariadb/connection.ts";
import { Lease } from "../../src/dialects/mariadb/leases.ts";
import { migrations } from "../../src/dialects/mariadb/migrations/migrations.ts";
import { Migrator } from "../../src/dialects/mariadb/migrator.ts";
import { tablesOf } from "../../src/dialects/mariadb/tables.ts";
import { createMariadbKnex, type MariadbKnex, MariadbStorage } from "../../src/index.ts";
import { codeOf, newSession, openPolicy } from "../sample.ts";
import { openTestMariadb, type TestMariadb } from "./test-mariadb.ts";

describe("migrations on MariaDB", () => {
  let server: TestMariadb;

  beforeAll(async () => {
    server = await openTestMariadb();
  });
  afterAll(() => server.close());

  const names = migrations.map(({ name }) => name);

  async function structureOf(database: string): Promise<unknown[]> {
    const [rows] = await server.admin.query<RowDataPacket[]>(
      `select table_name, column_name, column_type, column_default, is_nullable, collation_name from information_schema.columns
      where table_schema = ? order by table_name, ordinal_position`,
      [database],
    );
    return rows;
  }

  const schemas = join(import.meta.dirname, "../schemas");
  test.each(readdirSync(schemas).filter((name) => name.endsWith(".mariadb.sql")))(
    "upgrade the schema of %s to the current one",
    async (name) => {
      const [former, present] = [server.freshName(), server.freshName()];
      await server.admin.query(readFileSync(join(schemas, name), "utf8").replaceAll("`sallyport`", `\`${former}\``));
      for (const database of [former, present]) await (await server.storage({ database })).migrate();
      await (await server.storage({ database: former })).health();
      expect(await structureOf(former)).toEqual(await structureOf(present));
    },
    60_000,
  );

  test("continue after an interruption at any statement", async () => {
    const whole = server.freshName();
    await (await server.storage({ database: whole })).migrate();
    const database = server.freshName();
    const { knex } = await server.connect();
    const statements = migrations.flatMap((migration) => migration.statements(tablesOf(database), builtInClasses));
    for (let done = 1; done < statements.length; done += 7) {
      let left = done;
      const broken = migrations.map((migration) => ({
        ...migration,
        statements: (...parts: Parameters<typeof migration.statements>) =>
          migration.statements(...parts).map((text) => (left-- > 0 ? text : "signal sqlstate 'SP713'")),
      }));
      expect(await codeOf(new Migrator(knex, tablesOf(database), broken).migrate())).toBe(713);
      expect(left).toBeLessThan(0);
      const storage = await server.storage({ database });
      await storage.migrate();
      await storage.health();
      expect(await structureOf(database)).toEqual(await structureOf(whole));
      await server.admin.query(`drop database ${database}`);
    }
  }, 120_000);

  test("run once across concurrent migrators", async () => {
    const database = server.freshName();
    const engines = await Promise.all([1, 2, 3].map(() => server.connect({ pool: { max: 1 } })));
    const reports = await Promise.all(
      engines.map(async ({ knex }) => (await server.storage({ database, knex })).migrate()),
    );
    expect(reports.flatMap(({ applied }) => applied)).toEqual(names);
  }, 60_000);

  /** Makes another process the holder of a lease, for some seconds. */
  const giveLease = (database: string, work: string, seconds: number) =>
    server.admin.query(
      `update ${database}.leases set holder = 'other', expires_at = now(6) + interval ${seconds} second where work = '${work}'`,
    );

  test("wait until the lease of a crashed migrator has expired", async () => {
    const database = server.freshName();
    const storage = await server.storage({ database });
    await storage.migrate();
    await giveLease(database, "migrations", 1);
    const began = performance.now();
    expect(await storage.migrate()).toEqual({ applied: [] });
    expect(performance.now() - began).toBeGreaterThan(800);
    await giveLease(database, "indexes", 60);
    const wanted = [{ className: "File", attribute: "Name", type: "string" }] as const;
    expect(await storage.alignIndexes(wanted)).toBe("busy");
    await giveLease(database, "indexes", 0);
    expect(await storage.alignIndexes(wanted)).toEqual({ built: wanted, removed: 0 });
  }, 60_000);

  test("stop before the next change if another process has taken the lease", async () => {
    const database = server.freshName();
    const { knex } = await server.connect();
    await (await server.storage({ database })).migrate();
    const lease = new Lease(knex, tablesOf(database), "migrations");
    await withConnection(knex, async (connection) => {
      const run = runnerOf(connection);
      expect(await lease.take(run)).toBe(true);
      expect(await new Lease(knex, tablesOf(database), "migrations").take(run)).toBe(false);
      const now = jest.spyOn(performance, "now");
      try {
        const guarded = lease.guard(run);
        const later = performance.now() + 25_000;
        now.mockImplementation(() => later);
        await guarded("do 1");
        await giveLease(database, "migrations", 60);
        now.mockImplementation(() => later + 25_000);
        expect(await codeOf(guarded(`drop table ${database}.settings`))).toBe(706);
      } finally {
        now.mockRestore();
      }
    });
    await lease.end();
    const [rows] = await server.admin.query<RowDataPacket[]>(
      `select holder from ${database}.leases where work = 'migrations'`,
    );
    expect(rows).toEqual([{ holder: "other" }]);
    await server.admin.query(`select 1 from ${database}.settings`);
  }, 60_000);

  test("create procedures that work in a database with another name, such as a restored backup", async () => {
    const database = server.freshName();
    await (await server.storage({ database })).migrate();
    const [procedures] = await server.admin.query<RowDataPacket[]>(
      "select routine_name as name, routine_definition as definition from information_schema.routines where routine_schema = ?",
      [database],
    );
    expect(procedures.length).toBeGreaterThan(0);
    for (const { name, definition } of procedures)
      expect({ name, definition }).toEqual({ name, definition: expect.not.stringContaining(database) });
  }, 60_000);

  test("use an exact collation in an existing database", async () => {
    const database = server.freshName();
    await server.admin.query(`create database ${database} character set latin1 collate latin1_german2_ci`);
    const { records } = (
      await (async () => {
        const storage = await server.storage({ database });
        await storage.migrate();
        return storage;
      })()
    ).repositories;
    const alike = ["a", "A", "a ", "á", "\u{1F600}"];
    for (const id of alike) expect(await records.put("sample", id, id, { ifVersion: "none" })).toBe("stored");
    expect((await records.get("sample", alike)).map(({ id }) => id).toSorted()).toEqual(alike.toSorted());
    const listed = await records.list("sample", { after: null, limit: 10 });
    expect(listed.map(({ id }) => id)).toEqual(["A", "a", "a ", "á", "\u{1F600}"]);
  }, 60_000);

  test("of a newer version are refused by new storages and tolerated by running ones", async () => {
    const database = server.freshName();
    const storage = await server.storage({ database });
    expect(await codeOf(storage.health())).toBe(705);
    await storage.migrate();
    await storage.health();
    await server.admin.query(`insert into ${database}.migrations (name) values ('9999-later')`);
    await storage.health();
    expect(await codeOf((await server.storage({ database })).health())).toBe(705);
    expect(await codeOf(storage.migrate())).toBe(705);
  }, 60_000);

  test("reinstall procedures with a higher number and keep the others", async () => {
    const database = server.freshName();
    const { knex } = await server.connect();
    const migrated = (number: number, greeting: string) =>
      new Migrator(knex, tablesOf(database), [
        ...migrations,
        {
          name: "greet",
          number,
          statements: () => [`create or replace procedure ${database}.greet () select '${greeting}' as text`],
        },
      ]).migrate();
    const greeted = async () => {
      const [[rows]] = await server.admin.query<RowDataPacket[][]>(`call ${database}.greet()`);
      return rows;
    };
    expect(await migrated(1, "one")).toEqual({ applied: [...names, "greet"] });
    expect(await migrated(1, "another")).toEqual({ applied: [] });
    expect(await greeted()).toEqual([{ text: "one" }]);
    expect(await migrated(3, "three")).toEqual({ applied: ["greet"] });
    expect(await codeOf(migrated(2, "two"))).toBe(705);
    expect(await greeted()).toEqual([{ text: "three" }]);
  }, 60_000);

  test("are missing if a procedure has a lower number", async () => {
    const database = server.freshName();
    const storage = await server.storage({ database });
    await storage.migrate();
    await server.admin.query(`update ${database}.migrations set number = 0 where name = 'throttle'`);
    expect(await codeOf(storage.health())).toBe(705);
    expect(await storage.migrate()).toEqual({ applied: ["throttle"] });
    await storage.health();
  }, 60_000);
});

describe("MariaDB failures", () => {
  let server: TestMariadb;
  let database: string;

  beforeAll(async () => {
    server = await openTestMariadb();
    database = server.freshName();
    await (await server.storage({ database })).migrate();
  }, 60_000);
  afterAll(() => server.close());

  const storageOver = ({ knex }: MariadbKnex) => new MariadbStorage({ knex, database });
  const query = ({ knex }: MariadbKnex, sql: string) =>
    withConnection(knex, (connection) => runOn<{ answer: unknown }>(connection, { sql, values: [] }));
  const sleepQuery = (engine: MariadbKnex) => query(engine, "select sleep(30)");

  /** The server ID of the only connection of an engine. */
  async function idOf(engine: MariadbKnex): Promise<unknown> {
    const { rows } = await query(engine, "select connection_id() as answer");
    return rows[0]?.answer;
  }

  /** Ends the server side of a connection after it runs a sleeping query. */
  async function killSleeping(id: unknown): Promise<void> {
    const sleeping = "select 1 from information_schema.processlist where id = ? and state = 'User sleep'";
    await until(async () => (await server.admin.query<RowDataPacket[]>(sleeping, [id]))[0].length > 0);
    await server.admin.query(`kill ${String(id)}`);
  }

  test("fail a query with 704 if its connection is terminated, and the next call gets another connection", async () => {
    const engine = await server.connect({ pool: { max: 1 } });
    const id = await idOf(engine);
    const sleeping = codeOf(sleepQuery(engine));
    await killSleeping(id);
    expect(await sleeping).toBe(704);
    expect(await storageOver(engine).repositories.sessions.count()).toBe(0);
  });

  test("fail with 704 on a node that has left its cluster", async () => {
    const engine = await server.connect({ pool: { max: 1 } });
    expect(await codeOf(query(engine, "signal sqlstate '08S01' set mysql_errno = 1047"))).toBe(704);
  });

  test("fail and roll back a transaction with 704 if its connection is terminated", async () => {
    const engine = await server.connect({ pool: { max: 1 } });
    const storage = storageOver(engine);
    const id = await idOf(engine);
    const cut = storage.transaction(async (r) => {
      await r.sessions.open(newSession("lost"), openPolicy);
      await server.admin.query(`kill ${String(id)}`);
      await r.sessions.count();
    });
    expect(await codeOf(cut)).toBe(704);
    expect(await storage.repositories.sessions.count()).toBe(0);
  });

  test("end a whole transaction if its connection is terminated in a nested one, even if the error is caught", async () => {
    const engine = await server.connect({ pool: { max: 1 } });
    const storage = storageOver(engine);
    const id = await idOf(engine);
    const cut = storage.transaction(async (r, attempt) => {
      await new Applications(r.records).create({ name: "before", seats: null });
      await attempt(async () => {
        await server.admin.query(`kill ${String(id)}`);
        await new Applications(r.records).create({ name: "lost", seats: null });
      }).catch(() => {});
      await attempt(() => new Applications(r.records).create({ name: "after", seats: null })).catch(() => {});
    });
    expect(await codeOf(cut)).toBe(704);
    expect(await new Applications(storage.repositories.records).existing(["before", "lost", "after"])).toEqual([]);
  });

  test("end a whole transaction if a statement of a nested one times out, even if the error is caught", async () => {
    const storage = storageOver(await server.connect({ statementTimeout: 300, pool: { max: 1 } }));
    await storage.health();
    await server.admin.query(`start transaction; select * from ${database}.settings for update`);
    let later: unknown;
    const late = storage.transaction(async (r, attempt) => {
      await new Applications(r.records).create({ name: "before", seats: null });
      const caught = await attempt(() => attempt(() => r.settings.setMaintenance(true))).catch(
        (error: unknown) => error,
      );
      later = await new Applications(r.records).existing(["before"]).then(
        () => "answered",
        (error: unknown) => error === caught,
      );
    });
    expect(await codeOf(late)).toBe(706);
    expect(later).toBe(true);
    await server.admin.query("rollback");
    expect(await new Applications(storage.repositories.records).existing(["before"])).toEqual([]);
  });

  test("return 705 for an unknown database and 704 for a refused log-in, without the password in any error", async () => {
    const { knex } = await server.connect();
    expect(await codeOf(new MariadbStorage({ knex, database: server.freshName() }).health())).toBe(705);

    const stranger = new URL(server.url);
    stranger.username = "no_such_account";
    stranger.password = "open-sesame";
    const error = await storageOver(await server.connect({ url: stranger.href }))
      .health()
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 704 });
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain("open-sesame");

    const settings = {
      pool: { max: 1, acquireTimeout: 1, maxPendingAcquires: 1 },
      connectTimeout: 1,
      statementTimeout: 1,
    };
    const unreadable = await createMariadbKnex({ ...settings, url: "mariadb://user:open-sesame@host:port/" }).catch(
      (reason: unknown) => String(reason),
    );
    expect(unreadable).toMatch(/Percent-encode(?!.*sesame)/);
  });

  test("return 607 without a free connection: after the wait timeout, or immediately with too many waiting calls", async () => {
    const engine = await server.connect({ pool: { max: 1, acquireTimeout: 2_000, maxPendingAcquires: 2 } });
    const storage = storageOver(engine);
    await storage.health();
    const id = await idOf(engine);
    const sleeping = codeOf(sleepQuery(engine));
    const refused: string[] = [];
    const waiting = [1, 2].map(() =>
      codeOf(storage.repositories.sessions.count()).finally(() => refused.push("in time")),
    );
    expect(await codeOf(storage.repositories.sessions.count()).finally(() => refused.push("at once"))).toBe(607);
    expect(refused).toEqual(["at once"]);
    expect(await Promise.all(waiting)).toEqual([607, 607]);
    await killSleeping(id);
    expect(await sleeping).toBe(704);
    expect(await storage.repositories.sessions.count()).toBe(0);
  });

  test("return 706 after a statement timeout: alone, in a procedure and during a lock wait", async () => {
    const engine = await server.connect({ statementTimeout: 300, pool: { max: 1 } });
    const storage = storageOver(engine);
    expect(await codeOf(sleepQuery(engine))).toBe(706);
    expect(await storage.repositories.sessions.count()).toBe(0);
    await server.admin.query(
      `start transaction; select * from ${database}.session_lock_rows for update; select * from ${database}.settings for update`,
    );
    expect(await codeOf(storage.repositories.sessions.open(newSession("waiting"), { ...openPolicy, limit: 1 }))).toBe(
      706,
    );
    expect(await codeOf(storage.repositories.settings.setMaintenance(true))).toBe(706);
    await server.admin.query("rollback");
    await storage.repositories.sessions.open(newSession("let in"), { ...openPolicy, limit: 1 });
    expect(await storage.repositories.sessions.end({ digest: newSession("let in").digest })).toBe(1);
  });

  test("return 799 for an unexpected error, with the driver error as its cause only", async () => {
    const error = await query(await server.connect(), "select nonsense nonsense nonsense").catch(
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({ code: 799, detail: undefined, cause: { errno: 1064 } });
    expect((error as Error).message).not.toContain("nonsense");
  });

  test("return 307 for an unstorable text in a write and no result in a lookup", async () => {
    const { repositories: r } = await server.storage({ database });
    expect(await codeOf(r.sessions.open(newSession("zero", { deviceId: "a\0b" }), openPolicy))).toBe(307);
    expect(await codeOf(new Applications(r.records).create({ name: "x".repeat(1_025), seats: null }))).toBe(307);
    for (const text of ["a\0b", "a\ud800b"]) {
      expect(await new Applications(r.records).existing([text])).toEqual([]);
      expect(await r.appKeys.listsOrigin(text)).toBe(false);
    }
  });

  test("return 706 after the connections are destroyed externally", async () => {
    const engine = await server.connect();
    const storage = storageOver(engine);
    await storage.health();
    await engine.close();
    expect(await codeOf(storage.health())).toBe(706);
  });
});
