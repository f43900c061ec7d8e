import { CheckSchemas } from "./check-schemas.ts";
import { openTestDatabase, startTimeout, type TestDatabase } from "./test-database.ts";

describe("schemas for checks", () => {
  let database: TestDatabase;
  let schemas: CheckSchemas;
  const run = async <Row>(text: string): Promise<Row[]> =>
    [await database.admin.query(text)].flat().at(-1)?.rows as Row[];

  beforeAll(async () => {
    database = await openTestDatabase();
    schemas = new CheckSchemas(run, async (schema) => void (await database.storage({ schema }).migrate()));
  }, startTimeout);
  afterAll(() => database.drop());

  /** Everything that the tables of a schema hold, but the times of its migrations. */
  const contents = async (schema: string) => {
    const tables = await run<{ name: string }>(
      `select relname as name from pg_class where relnamespace = '${schema}'::regnamespace and relkind = 'r' order by relname`,
    );
    const held = tables.map(async ({ name }) => [
      name,
      await run(`select to_jsonb(t) - 'applied_at' as row from ${schema}.${name} t order by 1`),
    ]);
    return Object.fromEntries(await Promise.all(held)) as object;
  };

  test("are used again, as the migrations left them", async () => {
    const schema = await schemas.take({ migrated: true });
    const before = await contents(schema);
    const { repositories: r } = database.storage({ schema });
    const insert = () => r.objects.insert([{ className: "User", attributes: { Name: "somebody" } }]);
    const [first] = await insert();
    await r.accounts.create(
      { userId: first?.id ?? "", loginName: "somebody", secret: "", administrator: false },
      "somebody",
    );
    await r.settings.setMaintenance(true);
    const { generation } = await r.model.load();
    await r.model.change({ put: [{ name: "New", base: null, attributes: [], rights: [] }] }, generation);
    expect(await contents(schema)).not.toEqual(before);

    await schemas.giveBack(schema);
    expect(await schemas.take({ migrated: true })).toBe(schema);
    expect(await contents(schema)).toEqual(before);
    expect(await insert()).toMatchObject([{ id: first?.id }]);
  });

  test("are not used again when a check has changed their tables, or wants one that is not migrated", async () => {
    for (const change of [
      "alter table $ add column note text",
      "create trigger t before insert on $ for each row execute function suppress_redundant_updates_trigger()",
      "alter table $ disable trigger all",
      "create index on $ (uuid, class)",
    ]) {
      const schema = await schemas.take({ migrated: true });
      await run(change.replace("$", `${schema}.objects`));
      await schemas.giveBack(schema);
      expect(await run(`select from pg_namespace where nspname like '${schema}%'`)).toEqual([]);
    }
    const unused = await schemas.take({ migrated: false });
    expect(await run(`select from pg_namespace where nspname = '${unused}'`)).toEqual([]);
  });
});
