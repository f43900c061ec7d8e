import { type AttributeIndex, type Filter, type ObjectQuery, seesAll } from "@sallyport/storage";
import type { Knex } from "knex";
import pg from "pg";
import { until } from "@sallyport/test-kit/jest/until";
import { valueIndex } from "../src/dialects/postgres/index-expression.ts";
import { tablesOf } from "../src/dialects/postgres/tables.ts";
import type { KnexStorage } from "../src/index.ts";
import { openTestDatabase, startTimeout, type TestDatabase } from "./test-database.ts";

const index = (attribute: string, type: AttributeIndex["type"]): AttributeIndex => ({
  className: "File",
  attribute,
  type,
});
const all = [
  index("Name", "string"),
  index("Size", "number"),
  index("Made", "date"),
  index("Maker", "reference"),
  index("Open", "boolean"),
];
const nameOf = (each: AttributeIndex) => valueIndex(tablesOf("test"), each).name;

const fill = (admin: pg.Client, rows: number) =>
  admin.query(`
    insert into test.objects (uuid, class, attributes, stored_at)
      select gen_random_uuid(), (array['File', 'Image'])[1 + i % 2],
        jsonb_build_object('Name', 'name ' || i, 'Size', i, 'Made', to_char(date '2000-01-01' + i % 9000, 'YYYY-MM-DD'), 'Maker', 'A' || i % 1000, 'Open', i % 500 = 0),
        now()
      from generate_series(1, ${rows}) as i`);

describe("value indexes serve", () => {
  let database: TestDatabase;
  let storage: KnexStorage;
  let knex: Knex;

  beforeAll(async () => {
    database = await openTestDatabase({ migrated: true });
    ({ knex } = database.connect({ pool: { max: 1 } }));
    storage = database.storage({ knex });
    await fill(database.admin, 40_000);
    await database.admin.query("vacuum analyze test.objects");
  }, startTimeout);
  afterAll(() => database.drop());

  const find = async (query: ObjectQuery) => {
    const { objects } = await storage.repositories.objects.find(query, seesAll, { offset: 0, limit: 20 });
    return objects.map(({ id }) => id);
  };

  /** The number of scans of each index of the table so far. */
  async function scans(): Promise<Map<string, number>> {
    // The only connection of the storage flushes its statistics.
    await knex.raw("select pg_stat_force_next_flush()");
    const { rows } = await database.admin.query(
      "select indexrelname as name, idx_scan as scans from pg_stat_user_indexes where schemaname = 'test' and relname = 'objects'",
    );
    return new Map(rows.map(({ name, scans: count }) => [name as string, Number(count)]));
  }

  const path = (leaf: string, type: AttributeIndex["type"]) => ({ hops: [], leaf, type });
  const filtered = (filter: Filter): ObjectQuery => ({ classes: ["File"], filter });
  const sorted = (leaf: string, type: AttributeIndex["type"], descending: boolean): ObjectQuery => ({
    classes: ["File"],
    sort: [{ path: path(leaf, type), descending }],
  });
  test.each<[string, AttributeIndex, ObjectQuery]>([
    [
      "an equal text",
      index("Name", "string"),
      filtered({ kind: "oneOf", path: path("Name", "string"), values: ["name 4712"] }),
    ],
    [
      "a range of texts",
      index("Name", "string"),
      filtered({
        kind: "all",
        filters: [
          { kind: "compare", path: path("Name", "string"), operator: "gte", value: "name 4711" },
          { kind: "compare", path: path("Name", "string"), operator: "lt", value: "name 472" },
        ],
      }),
    ],
    [
      "an equal number",
      index("Size", "number"),
      filtered({ kind: "oneOf", path: path("Size", "number"), values: [4712] }),
    ],
    [
      "a range of numbers",
      index("Size", "number"),
      filtered({ kind: "compare", path: path("Size", "number"), operator: "lt", value: 100 }),
    ],
    [
      "a range of dates",
      index("Made", "date"),
      filtered({ kind: "compare", path: path("Made", "date"), operator: "lt", value: "2000-01-10" }),
    ],
    [
      "an equal reference",
      index("Maker", "reference"),
      filtered({ kind: "oneOf", path: path("Maker", "reference"), values: ["A8"] }),
    ],
    [
      "a rare boolean",
      index("Open", "boolean"),
      filtered({ kind: "oneOf", path: path("Open", "boolean"), values: [true] }),
    ],
    ["a list sorted by a text", index("Name", "string"), sorted("Name", "string", false)],
    ["a list sorted by a number in descending order", index("Size", "number"), sorted("Size", "number", true)],
  ])("%s", async (_what, wanted, query) => {
    await storage.alignIndexes([]);
    const without = await find(query);
    await storage.alignIndexes([wanted]);
    const before = await scans();
    expect(await find(query)).toEqual(without);
    const after = await scans();
    expect(without.length).toBeGreaterThan(0);
    expect(after.get(nameOf(wanted))).toBeGreaterThan(before.get(nameOf(wanted)) ?? 0);
  });
});

describe("value indexes", () => {
  let database: TestDatabase;
  /** Has changed an object, so every index build must wait for it. */
  let writer: pg.Client;

  beforeAll(async () => {
    database = await openTestDatabase();
    writer = new pg.Client({ connectionString: database.url });
    await writer.connect();
  }, startTimeout);
  beforeEach(async () => {
    await database.admin.query("drop schema if exists test cascade");
    await database.storage().migrate();
  });
  afterAll(async () => {
    await writer.end();
    await database.drop();
  });

  /** Starts to build an index of a filled table during a write. Returns the waiting process. */
  async function buildBesideWriter(storage: KnexStorage) {
    await fill(database.admin, 1_000);
    await writer.query("begin; update test.objects set version = version + 1 where oid = 1");
    const building = storage.alignIndexes(all.slice(0, 1));
    building.catch(() => {});
    const waiting =
      "select pid from pg_stat_activity where datname = current_database() and query like 'create index concurrently%' and wait_event_type = 'Lock'";
    const { pid } = await until(async () => (await database.admin.query<{ pid: number }>(waiting)).rows[0]);
    return { building, pid };
  }

  const names = async () => {
    const { rows } = await database.admin.query(
      "select indexname as name from pg_indexes where schemaname = 'test' and indexname like 'objects_value_%'",
    );
    return rows.map(({ name }) => name as string).toSorted();
  };

  test("have names and comments that state their content", async () => {
    await database.storage().alignIndexes(all);
    expect(await names()).toEqual(all.map(nameOf).toSorted());
    const { rows } = await database.admin.query(
      `select obj_description('test."${nameOf(all[0] as AttributeIndex)}"'::regclass) as comment`,
    );
    expect(rows).toEqual([{ comment: "File.Name" }]);
  });

  test("keep the other indexes of the table", async () => {
    const others = async () =>
      (
        await database.admin.query(
          "select count(*) from pg_indexes where schemaname = 'test' and indexname not like 'objects_value_%'",
        )
      ).rows;
    const before = await others();
    await database.storage().alignIndexes(all);
    await database.storage().alignIndexes([]);
    expect(await names()).toEqual([]);
    expect((await database.admin.query("select stxname from pg_statistic_ext")).rows).toEqual([]);
    expect(await others()).toEqual(before);
  });

  test("do not block writers during a build", async () => {
    const storage = database.storage();
    const { building } = await buildBesideWriter(storage);
    let built = false;
    const ended = building.finally(() => (built = true));
    for (let number = 0; number < 50; number += 1) {
      await storage.repositories.objects.insert([{ className: "File", attributes: { Name: `late ${number}` } }]);
    }
    expect(built).toBe(false);
    expect(await storage.readyIndexes(all)).toEqual([]);
    await writer.query("commit");
    await ended;
    expect(await storage.readyIndexes(all)).toEqual(all.slice(0, 1));
  });

  test("are rebuilt after an interrupted attempt", async () => {
    const storage = database.storage();
    const { building, pid } = await buildBesideWriter(storage);
    await database.admin.query("select pg_cancel_backend($1)", [pid]);
    await expect(building).rejects.toMatchObject({ code: 706 });
    await writer.query("commit");
    expect(await names()).toEqual(all.slice(0, 1).map(nameOf));
    expect(await storage.readyIndexes(all)).toEqual([]);
    expect(await storage.alignIndexes(all.slice(0, 1))).toEqual({ built: all.slice(0, 1), removed: 1 });
    expect(await storage.readyIndexes(all)).toEqual(all.slice(0, 1));
  });

  test("are left to the database when the storage is closed during a build", async () => {
    const { knex, close } = database.connect({ pool: { max: 2 } });
    const storage = database.storage({ knex, onClose: close });
    const { building } = await buildBesideWriter(storage);
    await storage.close();
    await expect(building).rejects.toMatchObject({ code: 704 });
    const later = database.storage();
    expect(await later.alignIndexes(all.slice(0, 1))).toBe("busy");
    await writer.query("commit");
    while ((await later.alignIndexes(all.slice(0, 1))) === "busy");
    expect(await later.readyIndexes(all)).toEqual(all.slice(0, 1));
  });

  test("wait for the lease of another builder until it expires", async () => {
    const storage = database.storage();
    const lease = (expiry: string) => `insert into test.records (kind, id, value, version, born, created_at, expires_at)
        values ('indexLease', '', '"another"', 1, 1, now(), ${expiry}) on conflict (kind, id) do update set expires_at = excluded.expires_at`;
    await database.admin.query(lease("now() + interval '1 minute'"));
    expect(await storage.alignIndexes(all)).toBe("busy");
    expect(await names()).toEqual([]);
    await database.admin.query(lease("now()"));
    expect(await storage.alignIndexes(all)).toMatchObject({ built: all });
    expect((await database.admin.query("select from test.records where kind = 'indexLease'")).rowCount).toBe(0);
  });

  test("keep the statement timeout of their connection", async () => {
    const { knex, close } = database.connect({ url: database.directUrl, pool: { max: 1 }, statementTimeout: 1_234 });
    const storage = database.storage({ knex, onClose: close });
    await storage.alignIndexes(all);
    const { rows } = await knex.raw(
      "select current_setting('statement_timeout') as timeout, (select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()) as locks",
    );
    expect(rows).toEqual([{ timeout: "1234ms", locks: "0" }]);
    await storage.close();
  });

  test("need no permission to create if all exist", async () => {
    await database.storage().alignIndexes(all);
    const url = await database.urlOfRole(
      (role) =>
        `grant usage on schema test to ${role}; grant select on all tables in schema test to ${role};
        grant usage on all sequences in schema test to ${role}`,
    );
    const storage = database.storage({ knex: database.connect({ url }).knex });
    expect(await storage.alignIndexes(all)).toEqual({ built: [], removed: 0 });
    await expect(storage.alignIndexes(all.slice(1))).rejects.toMatchObject({ code: 706, cause: { code: "42501" } });
  });
});
