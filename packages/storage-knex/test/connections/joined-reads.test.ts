import { setImmediate as turn } from "node:timers/promises";
import { objectIdOf, seesAll } from "@sallyport/storage";
import { isFullRun } from "@sallyport/test-kit/scope";
import { until } from "@sallyport/test-kit/jest/until";
import { jest } from "@jest/globals";
import type { KnexStorage } from "../../src/index.ts";
import { client, outcomeOf } from "../cancellable-reads.ts";
import { digestOf } from "../sample.ts";
import { openTestDatabase, startTimeout, type TestDatabase } from "../test-database.ts";

const persons = 100;
const requests = isFullRun ? 1_000_000 : 4_000;

/** Reads of different requests that follow one another without a pause. */
describe("reads that join a connection", () => {
  let database: TestDatabase;
  let storage: KnexStorage;
  const applicationName = "joined";

  beforeAll(async () => {
    database = await openTestDatabase({ migrated: true });
    const { knex } = database.connect({ applicationName, pool: { max: 8 } });
    storage = database.storage({ knex });
    await database.admin.query(`
      insert into test.objects (uuid, class, attributes, stored_at)
        select gen_random_uuid(), 'User', '{}', now() from generate_series(1, ${persons});
      insert into test.accounts (user_id, login_name, confusable_key, secret, administrator)
        select oid, 'user ' || oid, 'user' || oid, 'secret', false from test.objects;
      insert into test.app_keys (id, name, digest, origins) values ('key', 'key', sha256('key'), '[]');
      insert into test.sessions (digest, mode, app_key_id, user_id, secret_version, app_names, opened_at, expires_at, ends_at)
        select sha256(('s' || oid)::bytea), 'session', 'key', oid, 1, '[]', now(), now() + interval '30 min', now() + interval '12 h'
        from test.objects`);
    // Each takes a connection, which the tests then find open.
    const transactions = Array.from({ length: 8 }, () => storage.transaction((r) => r.objects.get(["1"], seesAll)));
    await Promise.all(transactions);
  }, startTimeout);
  afterAll(() => database.drop());
  afterEach(() => jest.restoreAllMocks());

  /** Stops the clock of the process. Returns a function that sets it forward. */
  const stopClock = () => {
    const start = performance.now();
    const now = jest.spyOn(performance, "now").mockReturnValue(start);
    return (milliseconds: number) => now.mockReturnValue(start + milliseconds);
  };
  const admitted = async (person: number) => {
    const request = { appKey: digestOf("key"), session: digestOf(`s${person}`), idleTimeout: 1_800_000 };
    return (await storage.repositories.admission.admit(request)).principal?.userId;
  };
  const read = async (person: number, onCancel?: (call: () => void) => () => void) => {
    const visibility = onCancel === undefined ? seesAll : { ...seesAll, onCancel };
    return (await storage.repositories.objects.get([objectIdOf(person)], visibility))[0]?.id;
  };
  const pids = async (condition = "true") =>
    (
      await database.admin.query<{ pid: number }>(
        `select pid from pg_stat_activity where application_name = $1 and datname = current_database() and ${condition}`,
        [applicationName],
      )
    ).rows.map(({ pid }) => pid);
  const waiting = () => pids("wait_event_type = 'Lock'");

  /** Runs work while no object can be read. */
  async function whileBlocked<T>(work: () => Promise<T>): Promise<T> {
    await database.admin.query("begin; lock table test.objects in access exclusive mode");
    try {
      return await work();
    } finally {
      await database.admin.query("rollback");
    }
  }

  test("use one connection within some milliseconds, others after that, and at most 32 at once", async () => {
    const forward = stopClock();
    const reads: Promise<string | undefined>[] = [];
    const readSeveral = async (count: number) => {
      for (let index = 0; index < count; index += 1) {
        reads.push(read(reads.length + 1));
        await turn();
      }
    };
    await whileBlocked(async () => {
      await readSeveral(32);
      await until(async () => (await waiting()).length > 0);
      expect(await waiting()).toHaveLength(1);
      await readSeveral(1);
      await until(async () => (await waiting()).length > 1);
      forward(10);
      await readSeveral(1);
      await until(async () => (await waiting()).length > 2);
      expect(await waiting()).toHaveLength(3);
    });
    expect(await Promise.all(reads)).toEqual(reads.map((_, index) => objectIdOf(index + 1)));
  });

  test("never join one whose read is being cancelled", async () => {
    stopClock();
    const reader = client();
    const reads = await whileBlocked(async () => {
      const left = outcomeOf(read(1, reader.onCancel));
      await until(async () => (await waiting()).length === 1);
      reader.leave();
      const staying = outcomeOf(read(2));
      expect(await left).toBe(706);
      await until(async () => (await waiting()).length === 1);
      return [staying];
    });
    expect(await Promise.all(reads)).toEqual(["read"]);
  });

  test("are not cancelled with another one", async () => {
    stopClock();
    const reader = client();
    const reads = await whileBlocked(async () => {
      const both = [read(1, reader.onCancel), read(2)];
      await until(async () => (await waiting()).length === 1);
      reader.leave();
      return both.map(outcomeOf);
    });
    expect(await Promise.all(reads)).toEqual(["read", "read"]);
  });

  test(
    "never get the answer of another, also when sessions of the server end",
    async () => {
      const answers = new Map<unknown, number>();
      const count = (answer: unknown) => answers.set(answer, (answers.get(answer) ?? 0) + 1);
      const check = async (person: number) => {
        const reader = client();
        const asked = person % 3 === 0 ? admitted(person) : read(person, reader.onCancel);
        if (Math.random() < 0.1) setImmediate(reader.leave);
        const answer = await asked.catch((error: { readonly code?: number }) => error.code);
        count(answer === objectIdOf(person) ? "own" : (answer ?? "none"));
      };
      const open = new Set<Promise<void>>();
      for (let index = 0; index < requests; index += 1) {
        const asked = check(1 + Math.floor(Math.random() * persons)).finally(() => open.delete(asked));
        open.add(asked);
        if (Math.random() < 0.2) await turn();
        if (open.size >= 60) await Promise.race(open);
        if (index % 200 === 0) {
          const [pid] = await pids();
          if (pid !== undefined) await database.admin.query("select pg_terminate_backend($1)", [pid]);
        }
      }
      await Promise.all(open);
      expect(answers.get("own")).toBeGreaterThan(requests / 2);
      answers.delete("own");
      expect([...answers.keys()].filter((answer) => answer !== 704 && answer !== 706)).toEqual([]);
    },
    isFullRun ? 1_800_000 : 120_000,
  );
});
