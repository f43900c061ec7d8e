import { beforeAllChanges, type ObjectId, objectIdOf } from "@sallyport/storage";
import { Applications } from "@sallyport/core";
import pg from "pg";
import { until } from "@sallyport/test-kit/jest/until";
import { migrations } from "../src/dialects/postgres/migrations/migrations.ts";
import { Migrator } from "../src/dialects/postgres/migrator.ts";
import { raiseStamps } from "../src/dialects/postgres/stamps.ts";
import { tablesOf } from "../src/dialects/postgres/tables.ts";
import { type KnexStorage, type PostgresKnex, postgresOpenWriters } from "../src/index.ts";
import { codeOf } from "./sample.ts";
import { openTestDatabase, startTimeout, type TestDatabase } from "./test-database.ts";

describe("object stamps", () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await openTestDatabase();
  }, startTimeout);
  beforeEach(() => database.admin.query("drop schema if exists test cascade"));
  afterAll(() => database.drop());

  const tables = tablesOf("test");
  const file = { className: "File", attributes: {} };
  const query = async <Row>(text: string, values: unknown[] = []) =>
    (await database.admin.query(text, values)).rows as Row[];
  const stamps = async () =>
    (await query<{ stamp: string }>("select stamp from test.objects order by oid")).map(({ stamp }) => Number(stamp));
  const migrated = async (): Promise<KnexStorage> => {
    const storage = database.storage();
    await storage.migrate();
    return storage;
  };
  const clientOf = async (name?: string): Promise<pg.Client> => {
    const url = new URL(database.directUrl);
    if (name !== undefined) url.pathname = `/${name}`;
    const client = new pg.Client({ connectionString: url.href });
    await client.connect();
    return client;
  };
  /** The changes up to a stamp, by default the watermark. */
  const changedIds = async ({ repositories: { objects } }: KnexStorage, stamp?: number): Promise<ObjectId[]> => {
    const upTo = stamp ?? (await objects.watermark());
    const page = await objects.changes({ classes: ["File"], after: beforeAllChanges, upTo, limit: 1_000 });
    return page.changes.map(({ id }) => id);
  };

  test("are one number of the transaction for every kind of write", async () => {
    await migrated();
    const own = async (...statements: string[]) => {
      await query("begin");
      for (const statement of statements) await query(statement);
      const [number] = await query<{ stamp: string }>("select last_value as stamp from test.stamps");
      await query("commit");
      return Number(number?.stamp);
    };
    const columns = "uuid, class, attributes, stored_at";
    const first = await own(
      `insert into test.objects (${columns}) select gen_random_uuid(), 'File', '{}', now() from generate_series(1, 3)`,
      `insert into test.objects (${columns}, stamp) values (gen_random_uuid(), 'File', '{}', now(), 7), (gen_random_uuid(), 'File', '{}', now(), null)`,
      "savepoint nested",
      `insert into test.objects (${columns}, stamp) values (gen_random_uuid(), 'File', '{}', now(), 9000000000000000)`,
    );
    expect(await stamps()).toEqual(Array.from({ length: 6 }, () => first));
    const second = await own(
      "update test.objects set version = version + 1 where oid <= 2",
      "update test.objects set stamp = 7 where oid = 3",
    );
    expect(second).toBeGreaterThan(first);
    expect(await stamps()).toEqual([second, second, second, first, first, first]);
  });

  test("hide no change while transactions are open that have written no object of the schema", async () => {
    const storage = await migrated();
    const other = database.storage({ schema: "other" });
    await other.migrate();
    const elsewhere = await clientOf("postgres");
    const [here, ours] = [await clientOf(), await clientOf()];
    try {
      await elsewhere.query("begin; select txid_current()");
      await here.query("begin; create table public.elsewhere (number integer)");
      await ours.query("begin; update test.settings set maintenance = false; delete from test.objects");
      await other.transaction(async (r) => {
        await r.objects.insert([file]);
        const [stored] = await storage.repositories.objects.insert([file]);
        expect(await changedIds(storage)).toEqual([stored?.id]);
      });
    } finally {
      for (const client of [elsewhere, here, ours]) await client.end();
      await query("drop schema other cascade");
    }
  });

  let operator: PostgresKnex | undefined;
  const openWriters = () => postgresOpenWriters((operator ??= database.connect({ pool: { max: 1 } })).knex, "test");
  /** Not counted: two connections can share the row of a count, and would wait for each other. */
  const restricted = { ...file, readers: ["1"] };
  const insertion = (stamp = "") =>
    `insert into test.objects (uuid, class, attributes, readers, stored_at${stamp && ", stamp, created_stamp"})
      values (gen_random_uuid(), 'File', '{}', '{1}', now()${stamp && `, ${stamp}, ${stamp}`})`;

  /** A transaction has done something before its first write of an object. Another object was written between the two. */
  test.each([
    ["has a number", "select txid_current()", insertion()],
    ["has written elsewhere", "create table public.elsewhere (number integer)", insertion()],
    ["has locked an object", "select from test.objects for update", insertion()],
    ["has rolled back to a savepoint", `savepoint one; ${insertion()}; rollback to one`, insertion()],
    ["is in another savepoint", `savepoint one; ${insertion()}; rollback to one; savepoint two`, insertion()],
    ["writes as logical replication", "set local session_replication_role = replica", insertion("1")],
    [
      "has replicated a later row",
      `set local session_replication_role = replica; ${insertion("1000000")}`,
      insertion("1"),
    ],
  ])("of a transaction that %s are above all watermarks that were read before", async (_, start, write) => {
    const storage = await migrated();
    const { objects } = storage.repositories;
    const seen = async () => {
      const upTo = await objects.watermark();
      return { upTo, ids: await changedIds(storage, upTo) };
    };
    await objects.insert([file]);
    const open = await clientOf();
    await open.query(`begin; ${start}`);
    await objects.insert([file]);
    const before = await seen();
    await open.query(write);
    await objects.insert([file]);
    const during = await seen();
    expect(during.upTo).toBeGreaterThanOrEqual(before.upTo);
    await open.query("commit");
    await open.end();
    for (const { upTo, ids } of [before, during]) expect(await changedIds(storage, upTo)).toEqual(ids);
    expect(await query("select from test.objects where created_stamp <> stamp")).toEqual([]);
    await query("drop table if exists public.elsewhere");
    await query("begin");
    await raiseStamps((each) => database.admin.query(each as pg.QueryConfig) as never, tables);
    await query("commit");
    await objects.insert([file]);
    expect(await changedIds(storage)).toHaveLength(
      Number((await query<{ all: string }>("select count(*) as all from test.objects"))[0]?.all),
    );
  });

  test("of a prepared transaction hold the watermark until it ends, and operators see it", async () => {
    const [allowed] = await query<{ number: number }>(
      "select current_setting('max_prepared_transactions')::integer as number",
    );
    expect(allowed).toEqual({ number: expect.any(Number) });
    if (allowed?.number === 0) return;
    const storage = await migrated();
    const [first] = await storage.repositories.objects.insert([file]);
    const open = await clientOf();
    await open.query(`begin; ${insertion()}; prepare transaction 'stamps'`);
    await open.end();
    const [third] = await storage.repositories.objects.insert([file]);
    expect(await changedIds(storage)).toEqual([first?.id]);
    expect(await openWriters()).toEqual([expect.objectContaining({ pid: null, prepared: "stamps" })]);
    await query("commit prepared 'stamps'");
    expect(await changedIds(storage)).toEqual([first?.id, "2", third?.id]);
    expect(await openWriters()).toEqual([]);
  });

  test("of a transaction that is idle for too long hold the watermark until the server has ended it", async () => {
    const storage = await migrated();
    const { knex } = database.connect({ idleInTransactionTimeout: 200, pool: { max: 1 } });
    const idle = database.storage({ knex }).transaction(async (r) => {
      await r.objects.insert([restricted]);
      const [later] = await storage.repositories.objects.insert([file]);
      expect(await changedIds(storage)).toEqual([]);
      await until(async () => (await openWriters()).length === 0);
      expect(await changedIds(storage)).toEqual([later?.id]);
      await r.objects.insert([file]);
    });
    expect(await codeOf(idle)).toBe(704);
  });

  test("are waited for while a writer takes one", async () => {
    const storage = await migrated();
    const [stored] = await storage.repositories.objects.insert([file]);
    await query("begin; select pg_advisory_xact_lock_shared(hashtext('sallyport:test:writer'), 0)");
    let isOver = false;
    const reading = changedIds(storage).finally(() => (isOver = true));
    for (let look = 0; look < 50; look += 1) await storage.repositories.audit.read(0, 1);
    expect(isOver).toBe(false);
    await query("rollback");
    expect(await reading).toEqual([stored?.id]);
  });

  test.each([2 ** 31, 2 ** 32])("are compared where half of their digits begin again: %d", async (boundary) => {
    const storage = await migrated();
    const [first] = await storage.repositories.objects.insert([file]);
    await query("select setval('test.stamps', $1)", [boundary - 3]);
    await storage.transaction(async (r) => {
      await r.objects.insert([restricted]);
      for (let count = 0; count < 5; count += 1) await storage.repositories.objects.insert([file]);
      expect(await changedIds(storage)).toEqual([first?.id]);
    });
    expect(await changedIds(storage)).toHaveLength(7);
  });

  test("are not read on a standby", async () => {
    const storage = await migrated();
    await query(`create function test.pg_is_in_recovery() returns boolean language sql as 'select true'`);
    const url = `${database.url}?options=-c%20search_path%3Dtest%2Cpg_catalog`;
    const { knex, close } = database.connect({ url });
    expect(await codeOf(database.storage({ knex }).repositories.objects.watermark())).toBe(704);
    await close();
    await storage.health();
  });

  /** Simulates objects that were copied without the sequence of their database. */
  const insertFromElsewhere = async (further: number) => {
    await query("alter table test.objects disable trigger objects_stamped");
    await query("update test.objects set stamp = stamp + $1", [further]);
    await query("alter table test.objects enable trigger objects_stamped");
  };

  test("continue above those of a database from another server after a migration", async () => {
    const further = 1_000_000_000_000;
    await migrated();
    const { knex } = database.connect({ pool: { max: 1 } });
    const before = database.storage({ knex });
    const update = () => knex.raw("update test.objects set version = version + 1 where oid = 1");
    await before.repositories.objects.insert([file, file]);
    await insertFromElsewhere(further);
    // Often enough for cached plans.
    for (let time = 0; time < 10; time += 1) await before.repositories.objects.insert([file]);
    for (let time = 0; time < 10; time += 1) await update();
    const reached = Math.max(...(await stamps()));

    const restored = database.storage();
    expect(await codeOf(restored.repositories.sessions.count())).toBe(705);
    await expect(restored.health()).rejects.toMatchObject({
      code: 705,
      detail: expect.stringContaining("another server"),
    });
    expect(await restored.migrate()).toEqual({ applied: [] });
    await restored.health();

    await restored.repositories.objects.insert([file]);
    await before.repositories.objects.insert([file]);
    await update();
    const [updated, ...others] = await stamps();
    expect(Math.max(...others.slice(0, 11))).toBe(reached);
    expect(Math.min(...others.slice(11), updated as number)).toBeGreaterThan(reached);
    expect(await changedIds(restored)).toHaveLength(14);
    await restored.migrate();
    await restored.health();
  });

  test("continue above them also for transactions that were open during the migration", async () => {
    const storage = await migrated();
    await storage.repositories.objects.insert([file]);
    await insertFromElsewhere(1_000_000);
    const [reached] = await stamps();
    let late: ObjectId | undefined;
    await storage.transaction(async (r) => {
      await new Applications(r.records).create({ name: "one", seats: null });
      await database.storage().migrate();
      late = (await r.objects.insert([file]))[0]?.id;
    });
    expect(late).toBe(objectIdOf(2));
    expect((await stamps())[1]).toBeGreaterThan(reached as number);
  });

  test("are raised once no write is running", async () => {
    const storage = await migrated();
    await storage.repositories.objects.insert([file]);
    await insertFromElsewhere(1_000_000);
    const withTimeout = () =>
      new Migrator(database.connect().knex, tables, migrations, {
        timeouts: { lockTimeout: 50, pause: 20 },
        finish: (run) => raiseStamps(run, tables),
      }).migrate();
    let raised = false;
    let raising: Promise<unknown> = Promise.resolve();
    await storage.transaction(async (r) => {
      await r.objects.insert([file]);
      raising = withTimeout().then(() => (raised = true));
      for (let turn = 0; turn < 200; turn += 1) await r.audit.read(0, 1);
      expect(raised).toBe(false);
    });
    await raising;
    await database.storage().health();
  });
});
