import { KnexStorage } from "../src/index.ts";
import { openTestDatabase, startTimeout, type TestDatabase } from "./test-database.ts";

describe("admissions of several requests", () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await openTestDatabase();
    await database.storage().migrate();
  }, startTimeout);
  afterAll(() => database.drop());

  /** The storage asked from so many places that do not know of one another, all in one turn of the event loop; and the connections that it made for that. */
  const asked = async (applicationName: string, times: number, ask: (storage: KnexStorage) => Promise<unknown>) => {
    const { knex } = database.connect({ applicationName, pool: { max: 20 } });
    const storage = new KnexStorage({ knex, schema: "test" });
    // Looks for missing migrations first.
    await storage.health();
    const answers: Promise<unknown>[] = [];
    for (let time = 0; time < times; time += 1) {
      answers.push(ask(storage));
      await new Promise(process.nextTick);
    }
    const results = await Promise.all(answers);
    const { rows } = await database.admin.query(
      "select count(*)::int as count from pg_stat_activity where application_name = $1",
      [applicationName],
    );
    return { results, connections: rows[0].count as number };
  };
  const admit = ({ repositories }: KnexStorage) =>
    repositories.admission.admit({ appKey: null, session: null, idleTimeout: 1_000 });

  test("travel together, eight to a connection", async () => {
    const { results, connections } = await asked("admissions", 17, admit);
    expect(results).toEqual(
      Array.from({ length: 17 }, () => expect.objectContaining({ appKey: null, maintenance: false })),
    );
    expect(connections).toBe(3);
  });

  test("do not hold up what may take longer", async () => {
    const { connections } = await asked("counts", 9, ({ repositories }) => repositories.sessions.count());
    expect(connections).toBe(9);
  });
});
