import { type AttributeIndex, type Filter, type ObjectQuery, type Page, seesAll } from "@sallyport/storage";
import type { RowDataPacket } from "mysql2";
import mysql from "mysql2/promise";
import { until } from "@sallyport/test-kit/jest/until";
import type { MariadbStorage } from "../../src/index.ts";
import { openTestMariadb, type TestMariadb } from "./test-mariadb.ts";

const index = (attribute: string, type: AttributeIndex["type"], className = "File"): AttributeIndex => ({
  className,
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

describe("value indexes on MariaDB", () => {
  let server: TestMariadb;
  let database: string;
  let storage: MariadbStorage;

  beforeAll(async () => {
    server = await openTestMariadb();
  });
  beforeEach(async () => {
    database = server.freshName();
    storage = await server.storage({ database });
    await storage.migrate();
  });
  afterEach(() => storage.close());
  afterAll(() => server.close());

  async function rows<Row>(text: string, values: string[] = []): Promise<Row[]> {
    const [found] = await server.admin.query<RowDataPacket[]>(text, values);
    return found as Row[];
  }

  const fill = (count: number) =>
    server.admin.query(`
      insert into ${database}.objects (oid, uuid, class, version, stored_at, attributes, stamp)
      select seq, uuid(), if(seq % 2 = 1, 'File', 'Image'), 1, 0, concat('{"Name":"name ', seq, '","Size":', seq, ',"Made":"',
        date('2000-01-01') + interval (seq % 9000) day, '","Maker":"', conv(1296 + seq % 500, 10, 36), '","Open":', if(seq % 501 = 0, 'true', 'false'), '}'), 1
      from ${database}.seq_1_to_${count};
      update ${database}.object_series set stamp = 1, number = ${count}`);
  const built = () =>
    rows<{ name: string }>(
      "select distinct index_name as name from information_schema.statistics where table_schema = ? and index_name like 'value%'",
      [database],
    );

  const path = (leaf: string, type: AttributeIndex["type"]) => ({ hops: [], leaf, type });
  const filtered = (filter: Filter): ObjectQuery => ({ classes: ["File"], filter });
  const sorted = (leaf: string, type: AttributeIndex["type"], descending: boolean): ObjectQuery => ({
    classes: ["File"],
    sort: [{ path: path(leaf, type), descending }],
  });
  const first: Page = { offset: 0, limit: 20 };

  /** The IDs of a page, and the numbers of index entries and rows that the server has read for it. */
  async function find(query: ObjectQuery, page: Page = first): Promise<{ ids: string[]; read: number }> {
    const { knex, close } = await server.connect({ pool: { max: 1 } });
    const reader = await server.storage({ database, knex, onClose: close });
    await reader.repositories.objects.find(query, seesAll, page);
    const count = async () => {
      const [status] = (await knex.raw("show session status like 'Handler_read%'")) as [{ Value: string }[]];
      return status.reduce((sum, { Value }) => sum + Number(Value), 0);
    };
    const before = await count();
    const { objects } = await reader.repositories.objects.find(query, seesAll, page);
    const read = (await count()) - before;
    await reader.close();
    return { ids: objects.map(({ id }) => id), read };
  }

  test("serve queries of each type, with the same results as without an index", async () => {
    await fill(10_000);
    const queries: readonly (readonly [ObjectQuery, Page])[] = [
      [filtered({ kind: "oneOf", path: path("Name", "string"), values: ["name 4711"] }), first],
      [filtered({ kind: "like", path: path("Name", "string"), pattern: "name 471%" }), first],
      [filtered({ kind: "oneOf", path: path("Size", "number"), values: [4711] }), first],
      [filtered({ kind: "compare", path: path("Size", "number"), operator: "lt", value: 100 }), first],
      [filtered({ kind: "compare", path: path("Made", "date"), operator: "lt", value: "2000-01-10" }), first],
      [filtered({ kind: "oneOf", path: path("Maker", "reference"), values: ["107"] }), first],
      [filtered({ kind: "oneOf", path: path("Open", "boolean"), values: [true] }), first],
      [sorted("Name", "string", false), first],
      [sorted("Size", "number", true), first],
      [sorted("Made", "date", true), { offset: 40, limit: 20 }],
    ];
    const without = [];
    for (const [query, page] of queries) without.push(await find(query, page));
    await storage.alignIndexes(all);
    await server.admin.query(`analyze table ${database}.objects`);
    for (const [place, [query, page]] of queries.entries()) {
      const { ids, read } = await find(query, page);
      expect(ids).toEqual(without[place]?.ids);
      expect(ids.length).toBeGreaterThan(0);
      expect([place, read < 1_000]).toEqual([place, true]);
    }
  }, 120_000);

  test("are shared by the classes with the attribute and dropped with the last of them", async () => {
    const image = index("Name", "string", "Image");
    expect(await storage.alignIndexes([all[0] as AttributeIndex, image])).toEqual({
      built: [all[0], image],
      removed: 0,
    });
    const [shared] = await built();
    expect(await built()).toHaveLength(1);
    expect(await storage.alignIndexes([image])).toEqual({ built: [], removed: 1 });
    expect(await built()).toEqual([shared]);
    expect(await storage.alignIndexes([])).toEqual({ built: [], removed: 1 });
    expect(await built()).toEqual([]);
  }, 60_000);

  test("are no longer used after another process drops them", async () => {
    await fill(100);
    await storage.alignIndexes(all);
    const query = filtered({ kind: "oneOf", path: path("Size", "number"), values: [7] });
    const ids = async () =>
      (await storage.repositories.objects.find(query, seesAll, first)).objects.map(({ id }) => id);
    expect(await ids()).toEqual(["7"]);
    const other = await server.storage({ database });
    await other.alignIndexes([]);
    expect(await ids()).toEqual(["7"]);
    await storage.transaction(async (r) => {
      expect((await r.objects.find(query, seesAll, first)).objects).toHaveLength(1);
    });
    await other.close();
  }, 60_000);

  test("contain writes made during their creation", async () => {
    await fill(5_000);
    let written = 0;
    const progress = { ready: false };
    const building = storage.alignIndexes(all).finally(() => (progress.ready = true));
    while (!progress.ready) {
      await storage.repositories.objects.insert([{ className: "File", attributes: { Name: "late" } }]);
      written += 1;
    }
    await building;
    expect(
      await storage.repositories.objects.count(
        filtered({ kind: "oneOf", path: path("Name", "string"), values: ["late"] }),
        seesAll,
      ),
    ).toBe(written);
    const [column] = await rows<{ number: number }>(
      `select number from ${database}.value_columns where attribute = 'Name'`,
    );
    const name = `value_${column?.number}`;
    expect(
      await rows(
        `select count(*) as late from ${database}.objects force index (${name}) where class = 'File' and ${name} = 'late'`,
      ),
    ).toEqual([{ late: written }]);
  }, 60_000);

  const tableWaits = async () => {
    const waiting = await rows(
      "select 1 from information_schema.processlist where info like ? and state like 'Waiting for table metadata lock%'",
      [`alter table \`${database}\`%`],
    );
    return waiting.length > 0;
  };

  test("wait for readers of the table and let later ones pass", async () => {
    await fill(1_000);
    const reader = await mysql.createConnection({ uri: server.url });
    await reader.query("start transaction");
    await reader.query(`select count(*) from ${database}.objects`);
    let ready = false;
    const building = storage.alignIndexes(all.slice(0, 1)).finally(() => (ready = true));
    await until(tableWaits);
    // The creation pauses its attempts, so this ends although the reader does not.
    await storage.repositories.objects.insert([{ className: "File", attributes: { Name: "late" } }]);
    expect(ready).toBe(false);
    await reader.query("rollback");
    await building;
    expect(await storage.readyIndexes(all)).toEqual(all.slice(0, 1));
    await reader.end();
  }, 60_000);

  test("are left to the next alignment when the storage is closed during one", async () => {
    await fill(1_000);
    const reader = await mysql.createConnection({ uri: server.url });
    await reader.query("start transaction");
    await reader.query(`select count(*) from ${database}.objects`);
    const building = storage.alignIndexes(all).catch((error: unknown) => error);
    await until(tableWaits);
    await storage.close();
    await building;
    await reader.query("rollback");
    await reader.end();
    const later = await server.storage({ database });
    while ((await later.alignIndexes(all)) === "busy");
    expect(await later.readyIndexes(all)).toEqual(all);
    await later.close();
  }, 60_000);
});
