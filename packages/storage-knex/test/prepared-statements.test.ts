import { openTestDatabase, startTimeout, type TestDatabase } from "./test-database.ts";
import { KnexStorage } from "../src/index.ts";

describe("prepared statements", () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await openTestDatabase();
    await database.storage().migrate();
  }, startTimeout);
  afterAll(() => database.drop());

  const storageWith = (applicationName: string) => {
    const { knex } = database.connect({ applicationName, pool: { max: 1 } });
    return { knex, storage: new KnexStorage({ knex, schema: "test" }) };
  };

  test("are prepared once per connection, and again on a new one", async () => {
    const { knex, storage } = storageWith("prepared");
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
    // The end of the connection may be noticed only by the next call.
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

  test("survive being forgotten by the server", async () => {
    const { knex, storage } = storageWith("forgotten");
    expect(await storage.repositories.sessions.count()).toBe(0);
    await knex.raw("deallocate all");
    expect(await storage.repositories.sessions.count()).toBe(0);
  });

  test("of two schemas on one connection are not mixed up", async () => {
    const { knex, storage } = storageWith("two schemas");
    const other = new KnexStorage({ knex, schema: "other" });
    await other.migrate();
    await other.repositories.settings.setMaintenance(true);
    const admit = async (each: KnexStorage) =>
      (await each.repositories.admission.admit({ appKey: null, session: null, idleTimeout: 1 })).maintenance;
    expect([await admit(storage), await admit(other), await admit(storage)]).toEqual([false, true, false]);
  });
});
