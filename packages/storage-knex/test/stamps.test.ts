import {
  Applications,
  beforeAllChanges,
  type Links,
  type ObjectId,
  objectIdOf,
  type Repositories,
} from "@sallyport/core";
import pg from "pg";
import { migrations } from "../src/dialects/postgres/migrations/migrations.ts";
import { Migrator } from "../src/dialects/postgres/migrations/migrator.ts";
import { raiseStamps } from "../src/dialects/postgres/stamps.ts";
import { tablesOf } from "../src/dialects/postgres/tables.ts";
import type { KnexStorage } from "../src/index.ts";
import { codeOf, digestOf } from "./sample.ts";
import { openTestDatabase, startTimeout, type TestDatabase } from "./test-database.ts";

const anybody = { session: null };

describe("links", () => {
  let database: TestDatabase;
  let r: Repositories;

  beforeAll(async () => {
    database = await openTestDatabase();
  }, startTimeout);
  beforeEach(async () => {
    await database.admin.query("drop schema if exists test cascade");
    const storage = database.storage();
    await storage.migrate();
    r = storage.repositories;
  });
  afterAll(() => database.drop());

  const links = async () => {
    const { rows } = await database.admin.query(
      `select source || '.' || attribute || '>' || target as link from test.links order by source, attribute, target`,
    );
    return rows.map(({ link }: { link: string }) => link);
  };
  const create = async (linked?: Links) => {
    const [object] = await r.objects.insert([
      { className: "File", attributes: {}, ...(linked === undefined ? {} : { links: linked }) },
    ]);
    return object?.id ?? "";
  };
  const update = (id: string, linked: Links) =>
    r.objects.update([{ id, attributes: {}, links: linked, expectedVersions: null }], anybody);

  test("are written with their objects and follow each changed attribute", async () => {
    const [one, two] = [await create(), await create()];
    const source = await create({ Boss: [one], Team: [two, one, two], None: [] });
    expect(await links()).toEqual(["3.Boss>1", "3.Team>1", "3.Team>2"]);
    await update(source, { Team: [two, source] });
    expect(await links()).toEqual(["3.Boss>1", "3.Team>2", "3.Team>3"]);
    await update(source, { Boss: [] });
    expect(await links()).toEqual(["3.Team>2", "3.Team>3"]);
    await update(two, { Team: [one] });
    await update(source, {});
    expect(await links()).toEqual(["2.Team>1", "3.Team>2", "3.Team>3"]);
    expect(await codeOf(update(source, { Team: [one, "ZZZZ"] }))).toBe(307);
    expect(await links()).toEqual(["2.Team>1", "3.Team>2", "3.Team>3"]);
  });

  test("of several objects are written in one call, each for its own object", async () => {
    await create();
    await create();
    const made = await r.objects.insert([
      { className: "File", attributes: {}, links: { Boss: ["1"] } },
      { className: "File", attributes: {} },
      { className: "File", attributes: {}, links: { Boss: ["2"] } },
    ]);
    expect(await links()).toEqual(["3.Boss>1", "5.Boss>2"]);
    const changes = made.map(({ id }, index) => ({
      id,
      attributes: {},
      links: index === 0 ? {} : { Boss: ["1"], Other: ["2"] },
      expectedVersions: null,
    }));
    await r.objects.update(changes, anybody);
    expect(await links()).toEqual(["3.Boss>1", "4.Boss>1", "4.Other>2", "5.Boss>1", "5.Other>2"]);
  });

  test("are refused to a concurrently deleted object", async () => {
    for (const write of [() => create({ Boss: ["1"] }), () => update("2", { Boss: ["1"] }).then(() => "")]) {
      await database.admin.query("truncate test.objects, test.links restart identity");
      await create();
      await create();
      await database.admin.query("begin");
      await database.admin.query("delete from test.objects where oid = 1");
      const outcome = codeOf(write());
      await expectWaiting();
      await database.admin.query("commit");
      expect(await outcome).toBe(307);
    }
  });

  test("keep their target until they are written", async () => {
    await create();
    const storage = database.storage();
    let deleting: Promise<unknown> = Promise.resolve();
    await storage.transaction(async (inside) => {
      await inside.objects.insert([{ className: "File", attributes: {}, links: { Boss: ["1"] } }]);
      deleting = database.admin.query(
        "delete from test.objects o where oid = 1 and not exists (select from test.links where target = o.oid)",
      );
      await inside.objects.update(
        [{ id: "1", attributes: { Name: "still there" }, links: {}, expectedVersions: [1] }],
        anybody,
      );
    });
    await deleting;
    expect(await links()).toEqual(["2.Boss>1"]);
  });

  test("delay a lock until a running write ends", async () => {
    const id = await create();
    const session = digestOf("mine");
    await database.admin.query(
      `insert into test.sessions (digest, mode, app_key_id, user_id, secret_version, app_names, opened_at, expires_at, ends_at)
        values (decode($1, 'hex'), 'session', 'key', 1, 1, '[]', now(), now() + interval '1 h', now() + interval '1 h')`,
      [session],
    );
    let taken: Promise<string> = Promise.resolve("");
    await database.storage().transaction(async (inside) => {
      await inside.objects.update([{ id, attributes: { Name: "new" }, links: {}, expectedVersions: null }], anybody);
      let ended = false;
      taken = r.locks.take(id, session).finally(() => {
        ended = true;
      });
      await expectWaiting();
      expect(ended).toBe(false);
    });
    expect(await taken).toBe("locked");
    expect(await codeOf(update(id, {}))).toBe(713);
  });

  /** Resolves as soon as a connection waits for a lock. */
  async function expectWaiting(): Promise<void> {
    const { knex, close } = database.connect({ pool: { max: 1 } });
    try {
      for (let look = 0; look < 500; look += 1) {
        const { rows } = await knex.raw(
          "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        );
        if (rows.length > 0) return;
      }
      throw new Error("No connection waits.");
    } finally {
      await close();
    }
  }
});

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
  const waitForStamp = async ({ repositories: { changes } }: KnexStorage, stamp: number) => {
    for (const end = Date.now() + 20_000; Date.now() < end; ) if ((await changes.watermark()) >= stamp) return;
    throw new Error(`The watermark has not reached ${stamp}.`);
  };
  /** The changes up to the watermark. */
  const changedIds = async ({ repositories: { changes } }: KnexStorage): Promise<ObjectId[]> => {
    const upTo = await changes.watermark();
    const page = await changes.read({ classes: ["File"], after: beforeAllChanges, upTo, limit: 1_000 });
    return page.changes.map(({ id }) => id);
  };

  test("are those of the transaction for every kind of write", async () => {
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
      "savepoint nested",
      `insert into test.objects (${columns}, stamp) values (gen_random_uuid(), 'File', '{}', now(), 9000000000000000)`,
    );
    expect(await stamps()).toEqual(Array.from({ length: 6 }, () => first));
    const second = await own(
      "update test.objects set version = version + 1 where oid <= 2",
      "update test.objects set stamp = 7 where oid = 3",
    );
    expect(await stamps()).toEqual([second, second, second, first, first, first]);
  });

  test("wait for all writers of the server, and not for readers", async () => {
    const storage = await migrated();
    // In another database: transaction IDs are per server.
    const url = new URL(database.url);
    url.pathname = "/postgres";
    const otherClient = new pg.Client({ connectionString: url.href });
    await otherClient.connect();
    await otherClient.query("begin isolation level repeatable read; select count(*) from pg_class");
    const [first] = await storage.repositories.objects.insert([file]);
    await waitForStamp(storage, (await stamps())[0] as number);
    expect(await changedIds(storage)).toEqual([first?.id]);
    await otherClient.query("select txid_current()");
    const [second] = await storage.repositories.objects.insert([file]);
    expect(await changedIds(storage)).toEqual([first?.id]);
    await otherClient.query("rollback");
    await otherClient.end();
    await waitForStamp(storage, (await stamps())[1] as number);
    expect(await changedIds(storage)).toEqual([first?.id, second?.id]);
  });

  /** Simulates objects from a server with transaction IDs that are this much higher. */
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
    await waitForStamp(restored, Math.max(...(await stamps())));
    expect(await changedIds(restored)).toHaveLength(14);
    await restored.migrate();
    await restored.health();
    expect(Number((await query<{ offset: string }>("select test.stamp_offset() as offset"))[0]?.offset)).toBeLessThan(
      further + 1_000_000,
    );
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
