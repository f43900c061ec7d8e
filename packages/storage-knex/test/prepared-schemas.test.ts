import { migrations } from "../src/dialects/postgres/migrations/migrations.ts";
import { type Migration, Migrator } from "../src/dialects/postgres/migrator.ts";
import { tablesOf } from "../src/dialects/postgres/tables.ts";
import { openTestDatabase, startTimeout, type TestDatabase } from "./test-database.ts";

describe("migrations of a prepared schema", () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await openTestDatabase();
  }, startTimeout);
  beforeEach(() => database.admin.query("drop schema if exists test cascade"));
  afterAll(() => database.drop());

  const names = migrations.map(({ name }) => name);

  /** Tables, functions and rows of a schema, without its name. */
  const contentOf = async (schema: string): Promise<unknown[]> => {
    const space = `'${schema}'::regnamespace`;
    const { rows } = await database.admin.query<{ text: string }>(`
      select concat_ws(' ', c.relname, c.relkind, c.reloptions, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
        a.attidentity, a.attstattarget, pg_get_expr(d.adbin, d.adrelid), pg_get_indexdef(c.oid)) as text
      from pg_class c left join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        left join pg_attrdef d on (d.adrelid, d.adnum) = (a.attrelid, a.attnum)
      where c.relnamespace = ${space}
      union all select pg_get_functiondef(oid) from pg_proc where pronamespace = ${space}
      union all select pg_get_constraintdef(oid) from pg_constraint where connamespace = ${space}
      union all select pg_get_triggerdef(t.oid) || t.tgenabled::text from pg_trigger t join pg_class c on c.oid = t.tgrelid
        where c.relnamespace = ${space} and not tgisinternal
      union all select concat_ws(' ', sequencename, start_value, max_value, last_value) from pg_sequences where schemaname = '${schema}'
      order by 1`);
    const { rows: tables } = await database.admin.query<{ name: string }>(
      `select relname as name from pg_class where relnamespace = ${space} and relkind = 'r' order by 1`,
    );
    const contents: unknown[] = [];
    for (const { name } of tables) {
      const times = name === "migrations" ? " - 'applied_at'" : "";
      const { rows: found } = await database.admin.query(
        `select to_jsonb(t)${times} as row from ${schema}.${name} t order by 1`,
      );
      contents.push({ name, found });
    }
    return [...rows.map(({ text }) => text.replaceAll(schema, "test")), ...contents];
  };
  const prepared = async (known: readonly Migration[]): Promise<void> => {
    await database.admin.query("drop schema if exists prepared_1 cascade; drop schema if exists ordinary cascade");
    await new Migrator(database.connect().knex, tablesOf("prepared_1"), known, { classes: [] }).migrate();
  };
  const takeOver = () =>
    new Migrator(database.connect().knex, tablesOf("test"), migrations, { preparedSchemas: "prepared_" }).migrate();

  test.each([
    ["all of them", migrations],
    ["those of an earlier version", migrations.filter(({ name }) => !/^001|^open_|^stamp_row/.test(name))],
  ])("that has %s lead to the same as from nothing", async (_which, known) => {
    await prepared(known);
    const before = Date.now();
    const { applied } = await takeOver();
    expect(applied.toSorted()).toEqual(names.toSorted());
    await new Migrator(database.connect().knex, tablesOf("ordinary"), migrations).migrate();
    expect(await contentOf("test")).toEqual(await contentOf("ordinary"));
    const { rows } = await database.admin.query<{ at: Date; left: string | null }>(
      "select min(applied_at) as at, to_regnamespace('prepared_1') as left from test.migrations",
    );
    expect(rows[0]?.left).toBeNull();
    expect(rows[0]?.at.getTime()).toBeGreaterThan(before - 10_000);
    expect(await takeOver()).toEqual({ applied: [] });
  });

  test("leave it alone if the storage has its tables", async () => {
    await database.storage().migrate();
    await prepared(migrations);
    expect(await takeOver()).toEqual({ applied: [] });
    const { rows } = await database.admin.query("select to_regnamespace('prepared_1')::text as left");
    expect(rows).toEqual([{ left: "prepared_1" }]);
  });
});
