import { seesAll } from "@sallyport/storage";
import { until } from "@sallyport/test-kit/jest/until";
import type { Connection } from "../../src/dialects/postgres/connection.ts";
import { runOn } from "../../src/dialects/postgres/connection.ts";
import type { KnexStorage } from "../../src/index.ts";
import { cancellableReads, client, outcomeOf } from "../cancellable-reads.ts";
import { openTestDatabase, startTimeout, type TestDatabase } from "../test-database.ts";

describe("reads that no client waits for", () => {
  let database: TestDatabase;
  let storage: KnexStorage;
  const applicationName = "cancelled";
  beforeAll(async () => {
    database = await openTestDatabase({ migrated: true });
    const { knex } = database.connect({ applicationName, pool: { max: 1 } });
    storage = database.storage({ knex });
  }, startTimeout);
  afterAll(() => database.drop());

  const sessions = async () =>
    (
      await database.admin.query<{ pid: number; waits: boolean }>(
        "select pid, coalesce(wait_event_type = 'Lock', false) as waits from pg_stat_activity where datname = current_database() and application_name = $1",
        [applicationName],
      )
    ).rows;

  const find = (onCancel?: (call: () => void) => () => void) =>
    storage.repositories.objects.find(
      { classes: ["User"] },
      onCancel === undefined ? seesAll : { ...seesAll, onCancel },
      { offset: 0, limit: 1 },
    );

  /** Runs work while no object can be read, and at least one read waits. */
  async function whileBlocked(reads: () => Promise<unknown>[], work: () => Promise<void>): Promise<unknown[]> {
    await database.admin.query("begin; lock table test.objects, test.tombstones in access exclusive mode");
    const outcomes = reads().map(outcomeOf);
    await until(async () => (await sessions()).some(({ waits }) => waits));
    await work();
    await database.admin.query("rollback");
    return Promise.all(outcomes);
  }

  test.each(cancellableReads)("are cancelled, and their connection is kept: %s", async (_name, read) => {
    await find();
    const before = await sessions();
    const reader = client();
    const reads: Promise<unknown>[] = [];
    const outcomes = await whileBlocked(
      () => {
        reads.push(read(storage.repositories, reader.onCancel));
        return reads;
      },
      async () => {
        reader.leave();
        await Promise.all(reads.map(outcomeOf));
      },
    );
    expect(outcomes).toEqual([706]);
    expect(reader.subscribed).toBe(0);
    expect(await outcomeOf(find())).toBe("read");
    expect((await sessions()).map(({ pid }) => pid)).toEqual(before.map(({ pid }) => pid));
  });

  test("are not cancelled on a connection that another request uses", async () => {
    const [reader, other] = [client(), client()];
    const outcomes = await whileBlocked(
      () => [find(reader.onCancel), find(other.onCancel)],
      async () => reader.leave(),
    );
    expect(outcomes).toEqual(["read", "read"]);
  });

  test("a cancellation that comes late hits nothing", async () => {
    const lender = storage["knex"].client as {
      acquireConnection(): Promise<Connection>;
      releaseConnection(connection: Connection): Promise<void>;
    };
    const connection = await lender.acquireConnection();
    for (let round = 0; round < 10; round += 1) {
      await runOn(connection, { text: "select 1" });
      await connection.cancelRead?.();
      await runOn(connection, { text: "select count(*) from generate_series(1, 20000)" });
    }
    expect(connection.__knex__disposed).toBeUndefined();
    await lender.releaseConnection(connection);
  });
});
