import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAllChanges } from "@sallyport/storage";
import type { Knex } from "knex";
import pg from "pg";
import { migrations } from "../src/dialects/postgres/migrations/migrations.ts";
import { type Functions, type Migration, Migrator } from "../src/dialects/postgres/migrator.ts";
import type { Connection, Query } from "../src/dialects/postgres/connection.ts";
import { unmetBy } from "../src/dialects/postgres/server-facts.ts";
import { tablesOf } from "../src/dialects/postgres/tables.ts";
import { postgresFacts } from "../src/index.ts";
import { runWorkers } from "./processes/run-workers.ts";
import { codeOf, newSession, openPolicy } from "./sample.ts";
import { openTestDatabase, processTimeout, startTimeout, type TestDatabase } from "./test-database.ts";

describe("migrations", () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await openTestDatabase();
  }, startTimeout);
  beforeEach(() => database.admin.query("drop schema if exists test cascade"));
  afterAll(() => database.drop());

  const names = migrations.map(({ name }) => name);
  const migrator = (extra: readonly Migration[]) =>
    new Migrator(database.connect().knex, tablesOf("test"), [...migrations, ...extra], {
      timeouts: { lockTimeout: 50, pause: 20 },
    });

  test("run once, in order, and are recorded", async () => {
    const storage = database.storage();
    expect(await storage.migrate()).toEqual({ applied: names });
    expect(await storage.migrate()).toEqual({ applied: [] });
    const { rows } = await database.admin.query<{ name: string; number: number; applied_at: Date }>(
      "select * from test.migrations order by applied_at",
    );
    expect(rows.map(({ name, number }) => ({ name, number }))).toEqual(
      migrations.map(({ name, number = 1 }) => ({ name, number })),
    );
    expect(rows.every(({ applied_at }) => Math.abs(applied_at.getTime() - Date.now()) < 60_000)).toBe(true);
    await expect(storage.health()).resolves.toBeUndefined();
  });

  test(
    "wait for each other across processes",
    async () => {
      const reports = (await runWorkers(database.url, "migrate", [{}, {}, {}, {}])) as { applied: string[] }[];
      expect(reports.flatMap(({ applied }) => applied).toSorted()).toEqual(names.toSorted());
      await expect(database.storage().health()).resolves.toBeUndefined();
    },
    processTimeout,
  );

  describe("on an engine that only speaks the protocol", () => {
    /** A pool in front of such an engine: it understands each text as another one. */
    const understanding = (text: string, other: string): Knex => {
      const client = database.connect().knex.client as Knex.Client;
      const lent = new Map<object, unknown>();
      const acquireConnection = async () => {
        const connection = (await client.acquireConnection()) as Connection;
        const wrapped = Object.assign(Object.create(connection) as Connection, {
          query: (query: Query, answered: Parameters<Connection["query"]>[1]) =>
            connection.query({ ...query, text: query.text.replace(text, other) }, answered),
        });
        lent.set(wrapped, connection);
        return wrapped;
      };
      const releaseConnection = (connection: object) => client.releaseConnection(lent.get(connection));
      return { client: { pool: client.pool, acquireConnection, releaseConnection } } as unknown as Knex;
    };

    test.each([
      ["advisory locks that do nothing", "pg_advisory_xact_lock($1::bigint)", "$1::bigint", /advisory locks/],
      ["no advisory locks", "pg_advisory_xact_lock($1", "no_such_function($1", /advisory locks/],
      ["advisory locks of each node", "objsubid = 2", "false", /one another's advisory locks/],
      ["another isolation", "isolation level read committed", "isolation level repeatable read", /read committed/],
      ["no rows for triggers", "select count(*) from added", "select 0", /triggers/],
      ["no settings for triggers", "'sallyport.counted', 'yes'", "'sallyport.counted', ''", /triggers/],
      ["no transition tables", "referencing new table as added", "", /triggers/],
      ["numbers reserved by sessions", "requirement_numbers", "requirement_numbers cache 20", /sequence/],
    ])("migrate refuses %s, and creates nothing", async (_what, text, other, reason) => {
      const knex = understanding(text, other);
      await expect(database.storage({ knex }).migrate()).rejects.toMatchObject({
        code: 705,
        detail: expect.stringMatching(reason),
      });
      expect(await unmetBy(knex, tablesOf("test"))).toEqual([expect.stringMatching(reason)]);
      const { rows } = await database.admin.query("select to_regnamespace('test') as schema");
      expect(rows).toEqual([{ schema: null }]);
    });

    test("a server meets all requirements, before and after the migrations", async () => {
      const { knex } = database.connect();
      expect(await unmetBy(knex, tablesOf("test"))).toEqual([]);
      await database.storage().migrate();
      expect(await (await postgresFacts(knex, "test")).unmetRequirements()).toEqual([]);
      const { rows } = await database.admin.query("select relname from pg_class where relname like 'requirement%'");
      expect(rows).toEqual([]);
    });
  });

  test("make every call answer 705 if they are missing", async () => {
    const storage = database.storage();
    const { repositories: r } = storage;
    const calls = [
      storage.health(),
      storage.transaction((t) => t.sessions.count()),
      r.admission.admit({ appKey: null, session: null, idleTimeout: 1_000 }),
      r.accounts.find({ realm: "database", loginName: "somebody" }, []),
      r.model.load(),
      r.sessions.open(newSession("s"), { ...openPolicy, limit: 1 }),
    ];
    expect(await Promise.all(calls.map(codeOf))).toEqual(calls.map(() => 705));
    await storage.migrate();
    expect(await r.sessions.count()).toBe(0);
  });

  test("of a newer version are refused by every call and by the migrator", async () => {
    await database.storage().migrate();
    await database.admin.query("insert into test.migrations (name) values ('9999-from-the-future')");
    const storage = database.storage();
    const calls = [() => storage.migrate(), () => storage.health(), () => storage.repositories.sessions.count()];
    for (const call of calls)
      await expect(call()).rejects.toMatchObject({ code: 705, detail: expect.stringContaining("newer") });
  });

  test("are missing with a lower function number, and of a newer version with a higher one", async () => {
    const storage = database.storage();
    await storage.migrate();
    const install = (number: number) =>
      database.admin.query("update test.migrations set number = $1 where name = 'locks'", [number]);
    await install(0);
    for (const call of [() => storage.health(), () => database.storage().repositories.sessions.count()])
      await expect(call()).rejects.toMatchObject({ code: 705, detail: expect.stringContaining("not migrated") });
    expect(await storage.migrate()).toEqual({ applied: ["locks"] });
    await storage.health();
    await install(1_000);
    for (const call of [() => database.storage().health(), () => storage.migrate()])
      await expect(call()).rejects.toMatchObject({ code: 705, detail: expect.stringContaining("newer") });
  });

  test("of a newer version keep a running storage healthy during a rolling upgrade", async () => {
    const storage = database.storage();
    await storage.migrate();
    await storage.health();
    await database.admin.query("insert into test.migrations (name) values ('9999-from-the-future')");
    await storage.health();
    await database.admin.query("delete from test.migrations where name = 'locks'");
    await expect(storage.health()).rejects.toMatchObject({
      code: 705,
      detail: expect.stringContaining("not migrated"),
    });
  });

  test("reinstall functions with a higher number and keep the others", async () => {
    const greet = (greeting: string) =>
      `create or replace function test.greet () returns text language sql as $$ select '${greeting}' $$`;
    const migrated = (number: number, ...statements: string[]) =>
      migrator([{ name: "greet", number, statements: () => statements }]).migrate();
    const greeted = async () =>
      (await database.admin.query("select test.greet() as text, number from test.migrations where name = 'greet'"))
        .rows;
    expect(await migrated(1, greet("one"))).toEqual({ applied: [...names, "greet"] });
    expect(await migrated(1, greet("another"))).toEqual({ applied: [] });
    expect(await greeted()).toEqual([{ text: "one", number: 1 }]);
    expect(await migrated(3, greet("three"))).toEqual({ applied: ["greet"] });
    expect(await greeted()).toEqual([{ text: "three", number: 3 }]);
    expect(await codeOf(migrated(4, greet("four"), "select 1 / 0"))).toBe(799);
    expect(await codeOf(migrated(2, greet("two")))).toBe(705);
    expect(await greeted()).toEqual([{ text: "three", number: 3 }]);
  });

  test("refuse every object write until the functions are installed", async () => {
    const { knex } = database.connect();
    const tables = migrations.filter(({ number }) => number === undefined);
    await new Migrator(knex, tablesOf("test"), tables).migrate();
    const write =
      "insert into test.objects (uuid, class, attributes, stored_at) values (gen_random_uuid(), 'File', '{}', now())";
    await expect(database.admin.query(write)).rejects.toThrow("not installed");
    expect(await database.storage().migrate()).toEqual({ applied: names.slice(tables.length) });
    await database.admin.query(write);
  });

  /** Stamps before the sequence: the numbers of transactions on the server. */
  const stampsOfTransactions: Functions = {
    name: "stamp_row",
    number: 1,
    statements: ({ schema, stampRow }) => [
      `create or replace function ${stampRow} () returns trigger language plpgsql as $$
      begin new.stamp := "${schema}".stamp_offset() + txid_current(); return new; end $$`,
    ],
  };

  test("keep the changes of objects and tombstones, and their readers from then on", async () => {
    const { knex } = database.connect();
    const added = [
      "0003-change-index",
      "0004-former-readers",
      "0005-swept-objects",
      "0006-swept-stamp",
      "0009-stamp-sequence",
      "keep_readers",
      "stamp_row",
    ];
    const former = [...migrations.filter(({ name }) => !added.includes(name)), stampsOfTransactions];
    await new Migrator(knex, tablesOf("test"), former).migrate();
    await database.admin.query(`
      insert into test.objects (uuid, class, attributes, stored_at) select gen_random_uuid(), 'File', '{}', now() from generate_series(1, 2);
      insert into test.tombstones (oid, uuid, class, version, deleted_at, readers, root)
        values (9, gen_random_uuid(), 'File', 2, now() - interval '1 day', '{7}', 9)`);
    const storage = database.storage();
    expect(await storage.migrate()).toEqual({ applied: added });
    const { deletion, objects } = storage.repositories;
    const { rows: highest } = await database.admin.query(
      "select last_value - (select max(stamp) from test.tombstones) as above from test.stamps",
    );
    expect(highest).toEqual([{ above: "0" }]);
    const changed = async () => {
      const query = { classes: ["File"], after: beforeAllChanges, limit: 10 };
      const { changes } = await objects.changes({ ...query, upTo: Number.MAX_SAFE_INTEGER });
      return changes.map(({ id, kind, readers, readersBefore }) => [id, kind, readers, readersBefore]);
    };
    const others = [
      ["2", "stored", null, null],
      ["9", "deleted", ["7"], ["7"]],
    ];
    expect(await changed()).toEqual([["1", "stored", null, null], ...others]);
    const change = { id: "1", attributes: {}, links: {}, readers: ["8"], expectedVersions: null };
    await objects.update([change], { session: null });
    expect(await changed()).toEqual([...others, ["1", "stored", ["8"], null]]);
    expect(await deletion.sweep(3_600_000, 10)).toBe(1);
    expect(await changed()).toEqual([...others.slice(0, 1), ["1", "stored", ["8"], null]]);
  });

  test("of an older version make every call answer 705", async () => {
    await database.storage().migrate();
    await database.admin.query("delete from test.migrations");
    expect(await codeOf(database.storage().repositories.sessions.count())).toBe(705);
  });

  test("roll back on a failure and keep earlier migrations", async () => {
    const broken = { name: "9998-broken", statements: () => ["create table test.half (id integer)", "select 1 / 0"] };
    expect(await codeOf(migrator([broken]).migrate())).toBe(799);
    const { rows } = await database.admin.query(
      "select to_regclass('test.half') as half, array(select name from test.migrations order by applied_at) as names",
    );
    expect(rows).toEqual([{ half: null, names }]);
  });

  test("wait for users of a table without blocking others", async () => {
    const storage = database.storage();
    await storage.migrate();
    const wider = { name: "9998-wider", statements: () => ["alter table test.sessions add column note text"] };
    let migrated = false;
    let migrating: Promise<unknown> = Promise.resolve();
    await storage.transaction(async (t) => {
      await t.sessions.count();
      migrating = migrator([wider])
        .migrate()
        .then(() => (migrated = true));
      // Each of these would queue behind the table change if the change waited for its lock without a limit.
      for (let done = 0; done < 200; done += 1)
        await storage.repositories.sessions.open(newSession(`under load ${done}`), openPolicy);
      expect(migrated).toBe(false);
    });
    await migrating;
    expect(await storage.repositories.sessions.count()).toBe(200);
  });

  test("start over after a deadlock with users of several tables", async () => {
    const storage = database.storage();
    await storage.migrate();
    const { accounts, sessions } = tablesOf("test");
    const wide = (table: string) => `alter table ${table} add column note text`;
    const wider = {
      name: "9998-wider",
      statements: () => [wide(accounts), "select pg_advisory_xact_lock(9998)", wide(sessions)],
    };
    const untilWaiting = (lock: string, migrating: Promise<unknown>) => {
      const ended = migrating.then((outcome) => {
        throw new Error(`The migration does not wait: ${JSON.stringify(outcome)}`);
      });
      return Promise.race([database.untilWaiting(lock), ended]);
    };
    const user = new pg.Client({ connectionString: database.directUrl });
    await user.connect();
    await database.admin.query("begin");
    try {
      await database.admin.query("select pg_advisory_xact_lock(9998)");
      await user.query(`set deadlock_timeout = '60s'; begin; lock table ${sessions} in access share mode`);
      // Without a time limit for locks, only the deadlock ends the wait of the migration, which comes last and looks for it first.
      const options = { timeouts: { lockTimeout: 0, pause: 20 } };
      const all = [...migrations, wider];
      const migrating = new Migrator(database.connect().knex, tablesOf("test"), all, options).migrate();
      await untilWaiting("l.locktype = 'advisory' and l.objid = 9998", migrating);
      const using = user.query(`lock table ${accounts} in access share mode; commit`);
      using.catch(() => {});
      await untilWaiting(`l.relation = '${accounts}'::regclass`, migrating);
      await database.admin.query("commit");
      await using;
      expect(await migrating).toEqual({ applied: ["9998-wider"] });
    } finally {
      // A failure must not leave locks to the next test.
      await Promise.all([database.admin.query("rollback"), user.end()]);
    }
  });

  test("need no permission to create if nothing is left to apply", async () => {
    await database.storage().migrate();
    const url = await database.urlOfRole(
      (role) => `grant usage on schema test to ${role}; grant select on all tables in schema test to ${role}`,
    );
    const { knex } = database.connect({ url });
    expect(await new Migrator(knex, tablesOf("test"), migrations).migrate()).toEqual({ applied: [] });
  });
});

describe("schemas", () => {
  const command = join(import.meta.dirname, "../../../.ci/schemas.mjs");

  /** Runs `.ci/schemas.mjs`, which compares the schemas of all versions with the current one. */
  function check(...options: string[]): Promise<{ ok: boolean; stderr: string }> {
    return new Promise((resolve) => {
      execFile(process.execPath, [command, "--check", ...options], (error, _stdout, stderr) =>
        resolve({ ok: error === null, stderr }),
      );
    });
  }

  test("accepts unchanged migrations and numbered functions", async () => {
    expect(await check()).toEqual({ ok: true, stderr: "" });
  });

  test.each([
    [
      "a changed migration",
      /create table (?:if not exists )?\S*settings\S* \(/,
      "$& extra integer,",
      "migration 0001-access has changed",
    ],
    ["a changed function with the same number", /SP315/, "SP316", "functions open_session \\d has changed"],
    [
      "a function with a lower number",
      /^-- functions put_record 2$/m,
      "-- functions put_record 3",
      "put_record 3 is missing",
    ],
    [
      "a lost migration",
      /^-- migration 0002-objects$/m,
      "-- migration 0002-things",
      "migration 0002-things is missing",
    ],
  ])("reports %s", async (_title, place, other, fault) => {
    const folder = mkdtempSync(join(tmpdir(), "sallyport-schemas-"));
    cpSync(join(import.meta.dirname, "schemas"), folder, { recursive: true });
    for (const file of readdirSync(folder).map((name) => join(folder, name))) {
      const text = readFileSync(file, "utf8");
      expect(place.test(text)).toBe(true);
      writeFileSync(file, text.replace(place, other));
    }
    const { ok, stderr } = await check("--folder", folder);
    rmSync(folder, { recursive: true });
    expect(ok).toBe(false);
    for (const dialect of ["postgres", "mariadb"])
      expect(stderr).toMatch(new RegExp(`^\\S+\\.${dialect}\\.sql: .*${fault}$`, "m"));
    expect(stderr).toContain("npm run schemas");
  });
});
