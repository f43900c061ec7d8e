import { beforeAllChanges, type ObjectId, objectIdOf, Applications } from "@sallyport/core";
import pg from "pg";
import { migrations } from "../src/dialects/postgres/migrations/migrations.ts";
import { Migrator } from "../src/dialects/postgres/migrations/migrator.ts";
import { raiseStamps } from "../src/dialects/postgres/stamps.ts";
import { tablesOf } from "../src/dialects/postgres/tables.ts";
import type { KnexStorage } from "../src/index.ts";
import { codeOf } from "./sample.ts";
import { openTestDatabase, startTimeout, type TestDatabase } from "./test-database.ts";

describe("stamps of objects", () => {
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
  const comesUpTo = async ({ repositories: { changes } }: KnexStorage, stamp: number) => {
    for (const end = Date.now() + 20_000; Date.now() < end; ) if ((await changes.watermark()) >= stamp) return;
    throw new Error(`The watermark does not come up to ${stamp}.`);
  };
  /** What is told up to the watermark. */
  const told = async ({ repositories: { changes } }: KnexStorage): Promise<ObjectId[]> =>
    (await changes.read(beforeAllChanges, await changes.watermark(), 1_000)).map(({ id }) => id);

  test("are those of the transaction, whatever is written by whatever way", async () => {
    await migrated();
    const own = async (...statements: string[]) => {
      await query("begin");
      for (const statement of statements) await query(statement);
      const [number] = await query<{ stamp: string }>("select txid_current() as stamp");
      await query("commit");
      return Number(number?.stamp);
    };
    const columns = "uuid, class, attributes, stored_at";
    const first = await own(
      `insert into test.objects (${columns}) select gen_random_uuid(), 'File', '{}', now() from generate_series(1, 3)`,
      `insert into test.objects (${columns}, stamp) values (gen_random_uuid(), 'File', '{}', now(), 7), (gen_random_uuid(), 'File', '{}', now(), null)`,
      "savepoint part",
      `insert into test.objects (${columns}, stamp) values (gen_random_uuid(), 'File', '{}', now(), 9000000000000000)`,
    );
    expect(await stamps()).toEqual(Array.from({ length: 6 }, () => first));
    const second = await own(
      "update test.objects set version = version + 1 where oid <= 2",
      "update test.objects set stamp = 7 where oid = 3",
    );
    expect(await stamps()).toEqual([second, second, second, first, first, first]);
  });

  test("wait for writers of the whole server, and for nobody who only reads", async () => {
    const storage = await migrated();
    // Of another database: the numbers of transactions are the server's.
    const url = new URL(database.url);
    url.pathname = "/postgres";
    const elsewhere = new pg.Client({ connectionString: url.href });
    await elsewhere.connect();
    await elsewhere.query("begin isolation level repeatable read; select count(*) from pg_class");
    const [first] = await storage.repositories.objects.insert([file]);
    await comesUpTo(storage, (await stamps())[0] as number);
    expect(await told(storage)).toEqual([first?.id]);
    await elsewhere.query("select txid_current()");
    const [second] = await storage.repositories.objects.insert([file]);
    expect(await told(storage)).toEqual([first?.id]);
    await elsewhere.query("rollback");
    await elsewhere.end();
    await comesUpTo(storage, (await stamps())[1] as number);
    expect(await told(storage)).toEqual([first?.id, second?.id]);
  });

  /** As if the objects had been written on a server that was so many transactions further. */
  const comeFromElsewhere = async (further: number) => {
    await query("alter table test.objects disable trigger objects_stamped");
    await query("update test.objects set stamp = stamp + $1", [further]);
    await query("alter table test.objects enable trigger objects_stamped");
  };

  test("go on above those that came with a database from another server, once it is migrated", async () => {
    const further = 1_000_000_000_000;
    await migrated();
    const { knex } = database.connect({ pool: { max: 1 } });
    const before = database.storage({ knex });
    const update = () => knex.raw("update test.objects set version = version + 1 where oid = 1");
    await before.repositories.objects.insert([file, file]);
    await comeFromElsewhere(further);
    // Often enough for plans to be kept.
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
    await comesUpTo(restored, Math.max(...(await stamps())));
    expect(await told(restored)).toHaveLength(14);
    await restored.migrate();
    await restored.health();
    expect(Number((await query<{ offset: string }>("select test.stamp_offset() as offset"))[0]?.offset)).toBeLessThan(
      further + 1_000_000,
    );
  });

  test("go on above them also for transactions that were open when the database was migrated", async () => {
    const storage = await migrated();
    await storage.repositories.objects.insert([file]);
    await comeFromElsewhere(1_000_000);
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

  test("are raised once nobody writes objects any more", async () => {
    const storage = await migrated();
    await storage.repositories.objects.insert([file]);
    await comeFromElsewhere(1_000_000);
    const impatient = () =>
      new Migrator(database.connect().knex, tables, migrations, {
        patience: { lockTimeout: 50, pause: 20 },
        finish: (run) => raiseStamps(run, tables),
      }).migrate();
    let raised = false;
    let raising: Promise<unknown> = Promise.resolve();
    await storage.transaction(async (r) => {
      await r.objects.insert([file]);
      raising = impatient().then(() => (raised = true));
      for (let turn = 0; turn < 200; turn += 1) await r.audit.read(0, 1);
      expect(raised).toBe(false);
    });
    await raising;
    await database.storage().health();
  });
});
