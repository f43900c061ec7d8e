import { seesAll } from "@sallyport/storage";
import { PostgresReplicas, type ReplicaState } from "../../src/index.ts";
import { openTestDatabase, startTimeout, type TestDatabase } from "../test-database.ts";

describe("replicas that cannot be used", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase({ migrated: true });
  }, startTimeout);
  afterAll(() => database.drop());

  const settings = {
    pool: { max: 2, acquireTimeout: 1_000, maxPendingAcquires: 10 },
    connectTimeout: 1_000,
    statementTimeout: 1_000,
  };
  const open = async (urls: readonly string[]) => {
    const { knex } = database.connect();
    const changes: ReplicaState[] = [];
    const replicas = new PostgresReplicas({
      ...settings,
      primary: knex,
      urls,
      onChange: (state) => changes.push(state),
    });
    const storage = database.storage({ knex, replicas });
    const { position } = await storage.repositories.admission.admit({
      appKey: null,
      session: null,
      idleTimeout: 60_000,
    });
    const find = () =>
      storage.repositories.objects.find(
        { classes: ["Employee"] },
        { ...seesAll, ...(position === undefined ? {} : { position }) },
        { offset: 0, limit: 1 },
      );
    return { changes, find, position, replicas };
  };

  test.each([
    ["that accepts writes", (url: string) => url, /^It is not a standby\.$/],
    ["without an answer", (url: string) => url.replace(/:\d+\//, ":1/"), /ECONNREFUSED/],
    ["without the database", (url: string) => url.replace(/\/\w+$/, "/none"), /"none" does not exist/],
  ])("a replica %s is left out, and the primary answers", async (_, urlOf, reason) => {
    const url = urlOf(database.url);
    const { changes, find, position, replicas } = await open([url]);
    expect(position).toBeDefined();
    const fault = expect.stringMatching(reason);
    expect(await replicas.examine()).toEqual([{ name: new URL(url).host, fault, lag: expect.any(Number) }]);
    expect(await find()).toEqual({ objects: [], last: null });
    expect(replicas.reads).toEqual({ served: 0, behind: 0, failed: 0, unavailable: 1 });
    expect(changes).toEqual([expect.objectContaining({ fault })]);
    await replicas.close();
  });

  test("admissions without replicas have no position", async () => {
    const { admission } = database.storage().repositories;
    expect(await admission.admit({ appKey: null, session: null, idleTimeout: 60_000 })).not.toHaveProperty("position");
  });
});
