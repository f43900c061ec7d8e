import { setImmediate } from "node:timers/promises";
import type { Knex } from "knex";
import { until } from "@sallyport/test-kit/jest/until";
import { OpenCalls } from "../../src/query-runner.ts";
import { tablesOf } from "../../src/dialects/postgres/tables.ts";
import { confirmedByAll } from "../../src/dialects/postgres/expressions.ts";
import { TimelineGuard } from "../../src/dialects/postgres/timeline.ts";
import { KnexStorage, postgresRecovery, type TimelineEvent, type TimelineOptions } from "../../src/index.ts";
import { codeOf, newSession, openPolicy } from "../sample.ts";
import { openTestDatabase, startTimeout, type TestDatabase } from "../test-database.ts";

interface Recorded {
  readonly name: string;
  readonly position: string;
  readonly synchronous: boolean;
  readonly accepted: string;
  readonly lost?: true;
}

/** Answers a guard as a cluster would whose primary was replaced, except for the statements of the storage. */
class FakeCluster {
  recorded: Recorded | null = null;
  /** `null`: a standby. */
  name: string | null = "7/00000001";
  position = "0/100";
  synchronous = true;
  /** `null`: the role cannot read it. */
  history: string | null = "";
  failure: string | undefined;

  /** A guard of another process, with the events that it reports. */
  guard(afterLossyFailover: TimelineOptions["afterLossyFailover"] = "refuse") {
    const events: TimelineEvent[] = [];
    const client = { acquireConnection: async () => this.connection(), releaseConnection: async () => {} };
    const report = (event: TimelineEvent) => events.push(event);
    const options = { afterLossyFailover, report };
    const calls = new OpenCalls();
    const guard = new TimelineGuard({ client } as unknown as Knex, tablesOf("test"), calls, options);
    guard.stop();
    /** Whether the guard lends a connection, else the reason. */
    const use = () =>
      guard.acquire().then(
        () => "used",
        (error: { code?: number; detail?: string }) => `${error.code} ${error.detail}`,
      );
    return { guard, calls, events, use };
  }

  /** Promotes a standby that has the log up to a position. */
  promote(position: string): void {
    this.history = `1\t${position}\tno recovery target specified\n`;
    this.name = "7/00000002";
  }

  connection() {
    return {
      pipeline: true,
      query: (
        { text, values = [] }: { text: string; values?: string[] },
        done: (error: Error | null, answer: unknown) => void,
      ) => {
        const rows = this.answer(text, values);
        const error = Object.assign(new Error("refused"), { code: this.failure });
        queueMicrotask(() => done(this.failure === undefined ? null : error, { rows, rowCount: rows.length }));
      },
    };
  }

  private answer(text: string, [known]: string[]): unknown[] {
    const { name, position, synchronous, recorded, history } = this;
    if (text.includes("as recorded")) return [{ name, recorded }];
    if (text.includes("as readable")) return [{ readable: history !== null, own: false }];
    if (text.includes(".history'")) return [{ text: history }];
    if (text.includes("emit_message")) return [{ name, position, synchronous }];
    const fits = text.includes("timeline is null") ? recorded === null : recorded?.name === known && !recorded?.lost;
    if (!fits) return [];
    const accepted = /'accepted', '(\w+)'/.exec(text)?.[1] ?? recorded?.accepted ?? "";
    this.recorded = text.includes('"lost"')
      ? { ...(recorded as Recorded), lost: true }
      : { name: name ?? "", position, synchronous, accepted };
    return [{ timeline: this.recorded }];
  }
}

describe("timelines", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase({ migrated: true });
  }, startTimeout);
  afterAll(() => database.drop());

  /** A cluster and a process that has used its first primary. */
  const scene = async (afterLossyFailover?: TimelineOptions["afterLossyFailover"]) => {
    const cluster = new FakeCluster();
    const process = cluster.guard(afterLossyFailover);
    expect(await process.use()).toBe("used");
    await process.guard.record();
    return { cluster, ...process };
  };

  test("a process that has seen the former timeline goes on if nothing acknowledged is missing, and others follow", async () => {
    const { cluster, guard, use, events } = await scene();
    cluster.position = "0/1F0";
    await guard.commitNothing();
    cluster.promote("0/200");
    const fresh = cluster.guard();
    expect(await fresh.use()).toMatch(/^705 .*has not seen the former timeline/);
    expect(await use()).toBe("used");
    expect(cluster.recorded).toMatchObject({ name: "7/00000002", accepted: "proven" });
    expect(events).toEqual([{ level: "info", message: expect.stringContaining("with all"), reason: null }]);
    expect(await fresh.use()).toBe("used");
  });

  test.each<[string, (cluster: FakeCluster) => unknown, RegExp]>([
    ["a position that is missing", (cluster) => cluster.promote("0/FF"), /writes are missing/],
    ["another parent", (cluster) => (cluster.history = "3\t0/200\tx\n"), /does not continue/],
    ["a timeline in between", (cluster) => (cluster.history = "1\t0/200\tx\n2\t0/300\tx\n"), /does not continue/],
    ["no history", (cluster) => (cluster.history = ""), /does not continue/],
    ["another system", (cluster) => (cluster.name = "8/00000002"), /does not continue/],
    ["a history that the role cannot read", (cluster) => (cluster.history = null), /cannot read the history/],
  ])("a new timeline with %s is refused", async (_title, change, reason) => {
    const { cluster, use, events } = await scene();
    cluster.promote("0/200");
    change(cluster);
    expect(await use()).toMatch(reason);
    expect(events).toEqual([{ level: "warn", message: expect.any(String), reason: expect.stringMatching(reason) }]);
    expect(cluster.recorded).toMatchObject({ name: "7/00000001" });
  });

  test("a new timeline is refused if commits waited for no standby, as this process or another has seen", async () => {
    const { cluster, guard, use } = await scene();
    const other = cluster.guard();
    await other.use();
    cluster.synchronous = false;
    await guard.commitNothing();
    await guard.record();
    cluster.promote("0/200");
    expect(await use()).toMatch(/did not wait for all standbys/);
    expect(await other.use()).toMatch(/did not wait for all standbys/);
  });

  test("a process that has seen more than the one that accepted the timeline refuses it for all", async () => {
    const { cluster, use } = await scene();
    const ahead = cluster.guard();
    await ahead.use();
    cluster.position = "0/300";
    await ahead.guard.commitNothing();
    cluster.promote("0/200");
    cluster.recorded = { ...(cluster.recorded as Recorded), position: "0/100" };
    expect(await use()).toBe("used");
    expect(await ahead.use()).toMatch(/writes are missing/);
    expect(cluster.recorded).toMatchObject({ lost: true });
    const fresh = cluster.guard();
    expect(await fresh.use()).toMatch(/writes are missing/);
  });

  test("the position is recorded after each interval in which a call ran, and after no other", async () => {
    const { cluster, guard, calls, use } = await scene();
    const recordedAfter = async (position: string) => {
      cluster.position = position;
      guard.endInterval();
      await setImmediate();
      return cluster.recorded?.position;
    };
    await setImmediate();
    expect(await recordedAfter("0/200")).toBe("0/200");
    expect(await recordedAfter("0/300")).toBe("0/200");
    calls.begin();
    await use();
    expect(await recordedAfter("0/400")).toBe("0/400");
    calls.end();
    expect(await recordedAfter("0/500")).toBe("0/500");
    expect(await recordedAfter("0/600")).toBe("0/500");
  });

  test("a process that has used a later timeline does not return to a former primary that still accepts writes", async () => {
    const { cluster, use } = await scene();
    const former = cluster.recorded;
    cluster.promote("0/200");
    expect(await use()).toBe("used");
    const promoted = cluster.recorded;
    cluster.name = "7/00000001";
    cluster.recorded = former;
    expect(await use()).toMatch(/^705 .*has used a later timeline/);
    expect(cluster.recorded).toBe(former);
    expect(await cluster.guard().use()).toBe("used");
    cluster.name = "7/00000002";
    cluster.recorded = promoted;
    expect(await use()).toBe("used");
  });

  test("a connection to a primary that has become a standby is closed; a process that knows standbys only uses them", async () => {
    const { cluster, guard, use } = await scene();
    cluster.name = null;
    expect(await use()).toMatch(/^704 .*standby/);
    const connection = cluster.connection() as Parameters<TimelineGuard["admit"]>[0];
    expect(await codeOf(guard.admit(connection))).toBe(704);
    expect(connection.__knex__disposed).toBeDefined();
    expect(await cluster.guard().use()).toBe("used");
  });

  test.each([
    ["", false],
    ["one", true],
    ['"one, (two)"', true],
    ["*", false],
    ['"*"', false],
    ["one, two", false],
    ["1 (one)", true],
    ["2 (one, two)", true],
    ["FIRST 1 (one, two)", false],
    ["any 1 (one, two)", false],
    ["ANY 2 (one,two)", true],
    ['3(one, "*", two)', false],
  ])("whether all standbys of the list `%s` confirm a commit: %s", async (names, isProof) => {
    const { rows } = await database.admin.query(`select ${confirmedByAll("$1::text")} as proof`, [names]);
    expect(rows).toEqual([{ proof: isProof }]);
  });

  test("a refused timeline is used with one warning if the operator wants that", async () => {
    const { cluster, guard, use, events } = await scene("warn");
    cluster.promote("0/FF");
    expect(await use()).toBe("used");
    await guard.record();
    expect(await use()).toBe("used");
    expect(events).toEqual([
      { level: "warn", message: expect.stringContaining("recover"), reason: expect.any(String) },
    ]);
    expect(cluster.recorded).toMatchObject({ name: "7/00000001" });
  });

  test("a server that does not tell its timeline is used, with one warning", async () => {
    const cluster = new FakeCluster();
    cluster.failure = "42501";
    const { use, events } = cluster.guard();
    expect([await use(), await use()]).toEqual(["used", "used"]);
    expect(events).toEqual([{ level: "warn", message: expect.stringContaining("does not tell"), reason: null }]);
  });

  test("a role that cannot read the history is told before a failover", async () => {
    const cluster = new FakeCluster();
    cluster.history = null;
    const { guard, use, events } = cluster.guard();
    await use();
    await guard.record();
    expect(events).toEqual([{ level: "warn", message: expect.stringContaining("705"), reason: expect.any(String) }]);
  });

  test("in a database, another timeline is refused on the next connection until the recovery, and no number returns", async () => {
    const schema = "timelines";
    const opened: KnexStorage[] = [];
    const open = () => {
      const { knex } = database.connect({ url: database.directUrl, pool: { max: 2 } });
      const storage = new KnexStorage({
        knex,
        schema,
        timelines: { afterLossyFailover: "refuse", report: () => {} },
      });
      opened.push(storage);
      return storage;
    };
    const run = async (text: string, ...values: unknown[]) => (await database.admin.query(text, values)).rows;
    const storage = open();
    await storage.migrate();
    const { repositories: r } = storage;
    const count = () => r.sessions.count();
    await r.sessions.open(newSession("plain"), openPolicy);
    const channel = { wrappedKey: "key", ivPrefix: Buffer.alloc(3) };
    await r.sessions.open(newSession("secure", { mode: "secure", channel }), openPolicy);
    const insert = async () => (await r.objects.insert([{ className: "File", attributes: {} }]))[0]?.id ?? "";
    const first = Number.parseInt(await insert(), 36);
    const numbers = `select model_generation, macro_generation, last_value, next_out,
        (select max(stamp) from ${schema}.objects) as stamp
      from ${schema}.settings, ${schema}.record_versions, ${schema}.channels`;
    const [before] = await run(numbers);
    const [{ name }] = await run(`select timeline ->> 'name' as name from ${schema}.settings`);
    expect(name).toMatch(/^\d+\/[0-9A-F]{8}$/);

    await run(`update ${schema}.settings set timeline = timeline || '{"name": "1/00000001"}'`);
    await run(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
    );
    const calls = [
      count,
      () => storage.health(),
      () => storage.transaction((t) => t.sessions.count()),
      () => storage.batch((b) => b.sessions.open(newSession("late"), openPolicy)),
      () => open().repositories.sessions.count(),
    ];
    await until(async () => (await codeOf(count())) === 705);
    for (const call of calls) expect(await codeOf(call())).toBe(705);

    const recovery = postgresRecovery(database.connect().knex, schema);
    const { timeline } = await recovery.look();
    expect(await recovery.look()).toEqual({ timeline: name, isPending: true });
    await recovery.skip("secure");
    expect(await recovery.accept("1/00000001")).toBe(false);
    expect(await codeOf(open().repositories.sessions.count())).toBe(705);
    expect(await recovery.accept(timeline)).toBe(true);
    expect(await recovery.look()).toEqual({ timeline, isPending: false });
    await until(async () => (await codeOf(count())) !== 705, { interval: 50 });
    expect(await count()).toBe(1);
    expect(Number.parseInt(await insert(), 36)).toBeGreaterThan(first + 2 ** 30);
    const [after] = await run(numbers);
    // A sequence that was never used has the number 1 and gives it first.
    for (const [each, value] of Object.entries(before))
      expect(Number(after[each]) - Number(value)).toBeGreaterThanOrEqual(2 ** 30 - 1);
    await recovery.skip("all");
    expect(await count()).toBe(0);
    for (const each of opened) await each.close();
  });
});
