import { jest } from "@jest/globals";
import { type ClassDefinition, defaultAnswerBytes, seesAll, type Storage, type Visibility } from "@sallyport/storage";
import { Model, ObjectSerializer, planSerialization, type Serialization, StoreTime } from "@sallyport/core";
import pg from "pg";
import { SchemaPool } from "@sallyport/test-kit/databases/schema-pool";
import { KnexStorage } from "../src/index.ts";
import { openTestDatabase, startTimeout, type TestDatabase } from "./test-database.ts";

describe("prepared statements", () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await openTestDatabase({ migrated: true });
  }, startTimeout);
  afterAll(() => database.drop());

  const storageWith = (applicationName: string, { url = database.url } = {}) => {
    const { knex } = database.connect({ url, applicationName, pool: { max: 1 } });
    return { knex, storage: new KnexStorage({ knex, schema: "test" }) };
  };

  test("are prepared once per connection, and again on a new one", async () => {
    const { knex, storage } = storageWith("prepared", { url: database.directUrl });
    const prepared = async () => {
      const { rows } = await knex.raw(
        "select pg_backend_pid() as pid, count(*)::int as count from pg_prepared_statements where name like 'session\\_count\\_%'",
      );
      return rows[0] as { pid: number; count: number };
    };
    for (let time = 0; time < 3; time += 1) await storage.repositories.sessions.count();
    const first = await prepared();
    expect(first.count).toBe(1);
    await database.admin.query("select pg_terminate_backend($1)", [first.pid]);
    // The end of the connection may be detected only by the next call.
    await storage.repositories.sessions.count().catch(() => {});
    expect(await storage.repositories.sessions.count()).toBe(0);
    const second = await prepared();
    expect(second.pid).not.toBe(first.pid);
    expect(second.count).toBe(1);
  });

  test("survive a change of the tables", async () => {
    const { storage } = storageWith("changed");
    await storage.repositories.accounts.find({ realm: "database", loginName: "a" }, []);
    const visibility = { classes: null, principals: null };
    const [object] = await storage.repositories.objects.insert([{ className: "File", attributes: {} }]);
    const get = () => storage.repositories.objects.get([object?.id ?? ""], visibility);
    expect(await get()).toHaveLength(1);
    await database.admin.query("alter table test.objects alter column version type bigint");
    expect(await get()).toHaveLength(1);
    await database.admin.query("alter table test.objects alter column version type integer");
    expect(await get()).toHaveLength(1);
  });

  test("survive a change of the tables between the call of a function and its first statement", async () => {
    const { storage } = storageWith("waiting");
    const { objects } = storage.repositories;
    const file = { className: "File", attributes: {} };
    const [object] = await objects.insert([file]);
    const change = { id: object?.id ?? "", attributes: {}, links: {}, expectedVersions: null };
    const writing = { session: null };
    const calls = [
      () => objects.update([change], writing),
      () => objects.insert([file]),
      () => objects.insert([file, file]),
    ];
    for (const call of calls) {
      await call();
      const { admin } = database;
      // Each function waits for the model lock at its start.
      await admin.query("begin; select pg_advisory_xact_lock(hashtextextended('sallyport:test:model', 0))");
      const called = call();
      await database.untilWaiting("l.locktype = 'advisory'");
      await admin.query("alter table test.objects add column note text; commit");
      expect(await called).toBeDefined();
      await admin.query("alter table test.objects drop column note");
    }
  });

  test("survive their removal by the server", async () => {
    const { knex, storage } = storageWith("forgotten");
    expect(await storage.repositories.sessions.count()).toBe(0);
    await knex.raw("deallocate all");
    expect(await storage.repositories.sessions.count()).toBe(0);
  });

  test("survive another one with their name", async () => {
    const { knex, storage } = storageWith("taken", { url: database.directUrl });
    expect(await storage.repositories.sessions.count()).toBe(0);
    const { rows } = await knex.raw("select name, statement from pg_prepared_statements where name like 'session%'");
    expect(rows).toHaveLength(1);
    const other = storageWith("other", { url: database.directUrl });
    await other.storage.health();
    for (const { name, statement } of rows) await other.knex.raw(`prepare "${name}" as ${statement}`);
    expect(await other.storage.repositories.sessions.count()).toBe(0);
  });

  test("are not mixed up between two schemas on one connection", async () => {
    const { knex, storage } = storageWith("two schemas");
    const other = new KnexStorage({ knex, schema: "other" });
    await other.migrate();
    await other.repositories.settings.setMaintenance(true);
    const admit = async (each: KnexStorage) =>
      (await each.repositories.admission.admit({ appKey: null, session: null, idleTimeout: 1 })).maintenance;
    expect([await admit(storage), await admit(other), await admit(storage)]).toEqual([false, true, false]);
  });
});

describe("serialization", () => {
  const classes: readonly ClassDefinition[] = [
    {
      name: "Shelf",
      base: null,
      attributes: [
        { name: "Books", type: "collection", target: "Book" },
        { name: "Room", type: "reference", target: "Room" },
      ],
      rights: [],
    },
    {
      name: "Book",
      base: null,
      attributes: [
        { name: "Title", type: "string" },
        { name: "Authors", type: "collection", target: "Author" },
      ],
      rights: [],
    },
    {
      name: "Author",
      base: null,
      attributes: [
        { name: "Name", type: "string" },
        { name: "Room", type: "reference", target: "Room" },
      ],
      rights: [],
    },
    { name: "Room", base: null, attributes: [{ name: "Name", type: "string" }], rights: [] },
  ];

  const shelves = 100;
  const booksOnShelf = 30;

  /** The statements of a page: one that reads it, and one for each level of written references. */
  describe("statements of a serialized page", () => {
    let database: TestDatabase;
    let storage: Storage;
    let model: Model;
    let query: jest.SpiedFunction<pg.Client["query"]>;

    beforeAll(async () => {
      database = await openTestDatabase({ migrated: true });
      storage = database.storage();
      const { objects, model: models } = storage.repositories;
      await models.change({ put: classes }, (await models.load()).generation);
      model = new Model(await models.load());
      const insert = async (
        className: string,
        count: number,
        attributes: (index: number) => object,
        hidden = (_index: number) => false,
      ) => {
        const wanted = Array.from({ length: count }, (_, index) => ({
          className,
          attributes: attributes(index) as never,
          readers: hidden(index) ? ["ZZZ"] : null,
        }));
        return (await objects.insert(wanted)).map(({ id }) => id);
      };
      const rooms = await insert("Room", 40, (index) => ({ Name: `Room ${index}` }));
      const authors = await insert("Author", 50, (index) => ({
        Name: `Author ${index}`,
        Room: rooms[20 + (index % 20)],
      }));
      const books = await insert(
        "Book",
        shelves * booksOnShelf,
        (index) => ({ Title: `Book ${index}`, Authors: [authors[index % 50], authors[(index + 7) % 50]] }),
        (index) => index % 10 === 3,
      );
      await insert("Shelf", shelves, (index) => ({
        Books: books.slice(index * booksOnShelf, (index + 1) * booksOnShelf),
        Room: rooms[index % 20],
      }));
      query = jest.spyOn(pg.Client.prototype, "query");
    }, startTimeout);
    afterAll(async () => {
      query.mockRestore();
      await database.drop();
    });

    const nobody: Visibility = { classes: null, principals: new Set() };

    const page = async (serialization: Serialization | undefined, limit: number, visibility: Visibility = seesAll) => {
      const { objects } = storage.repositories;
      query.mockClear();
      const { objects: roots } = await objects.find({ classes: ["Shelf"] }, visibility, { offset: 0, limit });
      const plan = planSerialization(serialization, { model, visibility, className: "Shelf" });
      const written = await new ObjectSerializer(
        { objects, visibility, storeTime: new StoreTime("UTC"), answerBytes: defaultAnswerBytes },
        plan,
      ).serialize(roots);
      return { statements: query.mock.calls.length, written: JSON.parse(JSON.stringify(written)) };
    };
    const paged = [
      {
        name: "Books",
        page: 1,
        perPage: 5,
        fields: ["Title", { name: "Authors", perPage: 1, fields: ["Name", "Room.Name"] }],
      },
    ];

    test.each<[string, Serialization | undefined, number]>([
      ["only that of the page for meta-fields", { type: "empty" }, 1],
      ["only that of the page for IDs", { type: "oid" }, 1],
      ["one for each level of the default depth", undefined, 4],
      ["one for depth 0", { depth: 0 }, 2],
      ["one for a path of two names", { type: "custom", fields: ["Room.Name"] }, 2],
      [
        "one for each level of the longest path",
        { type: "custom", fields: ["Room.Name", "Books.Title", "Books.Authors.Name", "Books.Authors.Room.Name"] },
        4,
      ],
      ["one more for a level with a page of a collection", { type: "custom", fields: paged }, 6],
    ])("are independent of the number of objects: %s", async (_what, serialization, statements) => {
      expect((await page(serialization, 1)).statements).toBe(statements);
      expect((await page(serialization, shelves)).statements).toBe(statements);
      expect((await page(serialization, shelves, nobody)).statements).toBe(statements);
    });

    test("return the page of every collection", async () => {
      const { written } = await page({ type: "custom", fields: paged }, shelves, nobody);
      expect(written).toHaveLength(shelves);
      for (const [index, { Books }] of written.entries()) {
        expect(Books).toMatchObject({ "~Count": 27, "~UnfilteredCount": 27 });
        // Every tenth object is hidden, starting with the fourth.
        const titles = [5, 6, 7, 8, 9].map((place) => `Book ${index * booksOnShelf + place + 1}`);
        expect(Books["~Elements"].map(({ Title }: { Title: string }) => Title)).toEqual(titles);
        expect(Books["~Elements"][0].Authors).toMatchObject({
          "~Count": 2,
          "~Elements": [{ Name: expect.any(String), Room: { Name: expect.any(String) } }],
        });
      }
    });
  });
});

describe("schemas for checks", () => {
  let database: TestDatabase;
  let schemas: SchemaPool;
  const run = async <Row>(text: string): Promise<Row[]> =>
    [await database.admin.query(text)].flat().at(-1)?.rows as Row[];

  beforeAll(async () => {
    database = await openTestDatabase();
    schemas = new SchemaPool(run, async (schema) => void (await database.storage({ schema }).migrate()));
  }, startTimeout);
  afterAll(() => database.drop());

  /** All rows of the tables of a schema, without the times of its migrations. */
  const contents = async (schema: string) => {
    const tables = await run<{ name: string }>(
      `select relname as name from pg_class where relnamespace = '${schema}'::regnamespace and relkind = 'r' order by relname`,
    );
    const counts = tables.map(async ({ name }) => [
      name,
      await run(`select to_jsonb(t) - 'applied_at' as row from ${schema}.${name} t order by 1`),
    ]);
    return Object.fromEntries(await Promise.all(counts)) as object;
  };

  test("are reused in the state after the migrations", async () => {
    const schema = await schemas.acquire({ migrated: true });
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

    await schemas.release(schema);
    expect(await schemas.acquire({ migrated: true })).toBe(schema);
    expect(await contents(schema)).toEqual(before);
    expect(await insert()).toMatchObject([{ id: first?.id }]);
  });

  test("are not reused if a check has changed their tables or needs an empty schema", async () => {
    for (const change of [
      "alter table $ add column note text",
      "create trigger t before insert on $ for each row execute function suppress_redundant_updates_trigger()",
      "alter table $ disable trigger all",
      "create index on $ (uuid, class)",
    ]) {
      const schema = await schemas.acquire({ migrated: true });
      await run(change.replace("$", `${schema}.objects`));
      await schemas.release(schema);
      expect(await run(`select from pg_namespace where nspname like '${schema}%'`)).toEqual([]);
    }
    const unused = await schemas.acquire({ migrated: false });
    expect(await run(`select from pg_namespace where nspname = '${unused}'`)).toEqual([]);
  });
});
