import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { addBan, administrationOf, Applications, removeBan, setLimits } from "@sallyport/core";
import { NodeDigests } from "@sallyport/crypto";
import { until } from "@sallyport/test-kit/jest/until";
import { isFullRun } from "@sallyport/test-kit/scope";
import { LicenceReceiver } from "@sallyport/testing/traps";
import type { RunningServer } from "../../../src/index.ts";
import { openPostgresFixture, type PostgresFixture } from "../../postgres-fixture.ts";
import { freePort } from "../../providers/free-port.ts";
import {
  openProviderFixture,
  providerEnvironment,
  type ProviderFixture,
  register,
} from "../../providers/provider-fixture.ts";
import { databaseOf, repositoriesOf } from "../../repositories-of.ts";
import { storedServerKeys } from "../../secure/stored-keys.ts";
import type { Subject } from "../../subject.ts";
import { type ServerProcess, tunedServer } from "../server-process.ts";
import {
  createStormUser,
  logInCode,
  type Outcome,
  type PreparedLogIn,
  stormEndpoints,
  type StormUser,
} from "./storm-log-ins.ts";
import { jest } from "@jest/globals";

const digests = new NodeDigests();

/** The log-ins of a large storm. */
const many = isFullRun ? 500 : 120;

/** Keys for log-ins in every mode, and for the secrets of providers. */
const keys = { ...storedServerKeys, MASTER_KEY: providerEnvironment["MASTER_KEY"] ?? "" };

/** Log-ins by all endpoints at two server processes at once: limits, changed rules, and the death of a process. */
describe("storms of log-ins at two server processes", () => {
  jest.setTimeout(60_000);

  const folder = mkdtempSync(join(tmpdir(), "sallyport-storm-"));
  const processes: ServerProcess[] = [];
  let postgres: PostgresFixture;
  let providers: ProviderFixture;
  let receiver: LicenceReceiver;
  /** Prepares log-ins and changes rules. No log-in of a storm goes to it. */
  let admin: RunningServer;
  let one: StartedProcess;
  let other: StartedProcess;
  let user: StormUser;
  let apps = 0;

  const start = async (more: Record<string, string> = {}): Promise<StartedProcess> => {
    // The log has the public address, which is none of a process.
    const port = await freePort();
    const cheap = { PORT: `${port}`, LOG_LEVEL: "info" };
    // The test sends hundreds of requests at once, and may be slow.
    const patient = { BODY_TIMEOUT: "2m", REQUEST_TIMEOUT: "4m" };
    const figures = { http: { headersTimeout: 120_000 }, licences: { poll: 100, count: 3_600_000 } };
    const environment = { ...keys, ...receiver.environment, ...cheap, ...patient, ...more };
    const process = tunedServer(figures, environment, folder, join(folder, "storm.json"));
    processes.push(process);
    await process.logged("Listening");
    return { url: `http://127.0.0.1:${port}`, kill: () => process.kill() };
  };

  beforeAll(async () => {
    [postgres, providers, receiver] = await Promise.all([
      openPostgresFixture(),
      openProviderFixture(),
      LicenceReceiver.open({ tolerance: 300 }),
    ]);
    // No log-in of a storm gives up waiting for a connection. The network of the test may use half of them: eight log-ins at
    // each process that wait for a lock. Four servers and other test files share the connections of one Postgres.
    const pool = { acquireTimeout: "1m", max: 16 };
    const storage = { engine: "postgres", url: postgres.url, schema: "sallyport_demo", pool };
    const content = {
      ...providers.content,
      server: { publicUrl: "http://127.0.0.1:9" },
      databases: [{ alias: "", name: "demo", storage }],
    };
    writeFileSync(join(folder, "storm.json"), JSON.stringify(content));
    [admin, one, other] = await Promise.all([postgres.configured(content, keys), start(), start()]);
    await register(providers, admin, "google");
    user = await createStormUser(admin, "storm");
  }, 60_000);
  afterAll(async () => {
    await Promise.all(processes.map((process) => process.kill()));
    await Promise.all([postgres.close(), providers.close(), receiver.close()]);
    rmSync(folder, { recursive: true });
  });

  const administration = () => administrationOf(databaseOf(admin));
  const sessions = () => repositoriesOf(admin).sessions;
  const createApp = async (seats: number | null): Promise<string> => {
    const name = `storm ${(apps += 1)}`;
    await new Applications(repositoriesOf(admin).records).create({ name, seats });
    return name;
  };
  const setSeats = (app: string, seats: number) =>
    new Applications(repositoriesOf(admin).records).setSeats(app, { seats });
  const taken = (name: string) => sessions().count({ name, kind: "concurrent" });

  /** Prepares this many log-ins, by each endpoint in turn. */
  const prepare = (count: number, appName: string): Promise<PreparedLogIn[]> => {
    const endpoints = stormEndpoints(admin, user, appName);
    const chosen = Array.from({ length: count }, (_, n) => endpoints[n % endpoints.length]);
    return Promise.all(chosen.flatMap((endpoint) => endpoint?.() ?? []));
  };
  /** Sends all of them at once, half of them to each process. */
  const release = (prepared: readonly PreparedLogIn[]): Promise<Outcome>[] =>
    prepared.map((logIn, n) => logIn(n % 2 === 0 ? one : other));
  const storm = async (count: number, appName: string) => Promise.all(release(await prepare(count, appName)));
  const opened = (outcomes: readonly Outcome[]) => outcomes.filter(({ code }) => code === "0");
  const logOutAll = async (outcomes: readonly Outcome[]) => {
    const codes = opened(outcomes).map(({ logOut }, n) => logOut?.(n % 2 === 0 ? other : one));
    expect(new Set(await Promise.all(codes))).toEqual(new Set(["0"]));
  };
  /** The codes of the outcomes, by endpoint, without successes. */
  const refusals = (outcomes: readonly Outcome[]) =>
    [
      ...new Set(outcomes.filter(({ code }) => code !== "0").map(({ endpoint, code }) => `${endpoint}: ${code}`)),
    ].toSorted();
  const everywhere = (code: number) =>
    [
      "POST /v1/auth/code",
      "POST /v1/auth/df",
      "POST /v1/extLogin",
      "POST /v1/login",
      "log-in in mode encrypted",
      "log-in in mode secure",
      "log-in in mode token",
      "provider callback",
    ].map((endpoint) => `${endpoint}: ${code}`);

  afterEach(async () => {
    await setLimits(administration(), new Map([["sessions.limit", null]]));
    await repositoriesOf(admin).records.remove("ban", { owner: `user:${user.userId}` });
    const open = await sessions().list({ after: null, limit: 1_000 });
    await sessions().end({ digests: open.map(({ digest }) => digest) });
    receiver.answering = () => 204;
    expect(receiver.faults).toEqual([]);
  });

  test(`${many} log-ins take 2 seats, and 2 again after the log-outs`, async () => {
    const app = await createApp(2);
    for (const count of [many, 42]) {
      const outcomes = await storm(count, app);
      expect([opened(outcomes).length, await taken(app), refusals(outcomes)]).toEqual([2, 2, everywhere(306)]);
      await logOutAll(outcomes);
      expect(await taken(app)).toBe(0);
    }
  }, 120_000);

  test(`${many} log-ins open 50 sessions, and 50 again after the log-outs`, async () => {
    const app = await createApp(null);
    await setLimits(administration(), new Map([["sessions.limit", 50]]));
    for (const count of [many, 84]) {
      const outcomes = await storm(count, app);
      expect([opened(outcomes).length, await sessions().count()]).toEqual([50, 50]);
      expect(everywhere(315)).toEqual(expect.arrayContaining(refusals(outcomes)));
      await logOutAll(outcomes);
      expect(await sessions().count()).toBe(0);
    }
  }, 120_000);

  test.each([
    [2, 6],
    [6, 2],
    [2, 1],
  ])("a change from %i to %i seats amid log-ins is exact", async (before, after) => {
    const app = await createApp(before);
    const [first, second] = [await prepare(42, app), await prepare(42, app)];
    const early = release(first);
    await Promise.all(early.slice(0, 10));
    await setSeats(app, after);
    const late = await Promise.all(release(second));
    const outcomes = [...(await Promise.all(early)), ...late];
    const count = opened(outcomes).length;
    expect(await taken(app)).toBe(count);
    // Log-ins that began before a lower number may take the seats of the higher one.
    if (after > before) expect(count).toBe(after);
    else expect([count >= after, count <= before, opened(late).length <= after]).toEqual([true, true, true]);
    expect(everywhere(306)).toEqual(expect.arrayContaining(refusals(outcomes)));
    await logOutAll(outcomes);
    const again = await storm(21, app);
    expect([opened(again).length, await taken(app)]).toEqual([after, after]);
    await logOutAll(again);
  });

  test("no session of a banned user is alive when the ban is answered, and none opens later", async () => {
    const app = await createApp(null);
    for (const answered of [1, 12, 24]) {
      const prepared = await prepare(63, app);
      const logIns = release(prepared);
      await Promise.race(logIns.map((each, n) => (n === answered ? each : new Promise<never>(() => {}))));
      const ban = { user: user.name, reason: "", from: null, until: null };
      const { count } = await addBan(administration(), ban);
      const alive = [await sessions().count({ name: app, kind: "concurrent" })];
      const outcomes = await Promise.all(logIns);
      alive.push(await sessions().count({ name: app, kind: "concurrent" }));
      expect([alive, opened(outcomes).length]).toEqual([[0, 0], count]);
      expect(everywhere(318)).toEqual(expect.arrayContaining(refusals(outcomes)));
      await removeBan(administration(), { user: user.name });
    }
  });

  test("a ban between the proof and the opening ends or refuses the log-ins by every endpoint", async () => {
    const app = await createApp(null);
    const [first, second] = [await prepare(8, app), await prepare(8, app)];
    /** Resolves when so many wait for the lock. Fails as soon as one of these log-ins is answered instead. */
    const untilWaiting = (count: number, mode: "ShareLock" | "ExclusiveLock", logIns: readonly Promise<Outcome>[]) => {
      const look = async () => {
        const { rows } = await postgres.sql.query(
          `select count(*) from pg_locks l join pg_database d on d.oid = l.database
          where d.datname = current_database() and l.locktype = 'advisory' and l.mode = $1 and not l.granted`,
          [mode],
        );
        return Number(rows[0].count) >= count;
      };
      const answered = logIns.map(async (logIn) => {
        throw new Error(`A log-in does not wait: ${JSON.stringify(await logIn)}`);
      });
      return Promise.race([until(look, { seen: statementsInProgress }), ...answered]);
    };
    const statementsInProgress = async () => {
      const { rows } = await postgres.sql.query(
        `select wait_event_type, wait_event, pg_blocking_pids(pid) as blocked_by, left(query, 200) as query
        from pg_stat_activity where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()`,
      );
      return rows;
    };
    const running: Promise<unknown>[] = [];
    await postgres.sql.query("begin");
    try {
      await postgres.sql.query("select pg_advisory_xact_lock(hashtextextended('sallyport:sallyport_demo:rules', 0))");
      const early = release(first);
      running.push(...early);
      await untilWaiting(8, "ShareLock", early);
      const banning = addBan(administration(), { user: user.name, reason: "", from: null, until: null });
      running.push(banning);
      await untilWaiting(1, "ExclusiveLock", early);
      const late = release(second);
      running.push(...late);
      await untilWaiting(16, "ShareLock", [...early, ...late]);
      await postgres.sql.query("commit");
      expect([(await banning).count, await taken(app)]).toEqual([8, 0]);
      expect(opened(await Promise.all(early))).toHaveLength(8);
      expect(refusals(await Promise.all(late))).toEqual(everywhere(318));
      expect(await taken(app)).toBe(0);
    } finally {
      // Without an effect after the commit. A failure must not leave locks and log-ins to the next test.
      await postgres.sql.query("rollback");
      await Promise.allSettled(running);
    }
  });

  test("the seats of a process that dies before it answers are free when the sessions end, and are reported", async () => {
    const app = await createApp(2);
    const required = await start({ LICENCES_STATISTICS_REQUIRED: "true" });
    const held = new Set<string>();
    // The messages of the opened sessions are on their way, and no log-in is answered.
    receiver.answering = ({ id, type }) => {
      if (type !== "session.opened" || held.size === 2) return 204;
      held.add(id);
      return null;
    };
    const logIn = (at: Subject) => logInCode(at, user, app);
    const unanswered = Array.from({ length: 6 }, () => logIn(required).catch(() => "no answer"));
    await receiver.until(() => (held.size === 2 ? true : undefined));
    await required.kill();
    const codes = await Promise.all(unanswered);
    expect(codes.filter((code) => code !== "no answer" && code !== "306")).toEqual([]);
    expect([await taken(app), await logIn(one), await logIn(other)]).toEqual([2, "306", "306"]);
    await postgres.sql.query("update sallyport_demo.sessions set expires_at = now()");
    expect([await logIn(one), await logIn(other), await logIn(one)]).toEqual(["0", "0", "306"]);
    // The process that held a message has died. Another one sends it when the lease is over.
    expect(receiver.accepted.filter(({ id }) => held.has(id))).toEqual([]);
    await postgres.sql.query("update sallyport_demo.records set due_at = now() where kind = 'licenceMessage'");
    await receiver.until(() => (receiver.about(app).length >= 4 ? true : undefined));
    expect(new Set(receiver.about(app).map(({ data }) => data.session)).size).toBe(4);
    for (const id of held) expect(receiver.accepted.map((message) => message.id)).toContain(id);
  });

  test("each session that opens while a process dies is reported at least once, with one id", async () => {
    const app = await createApp(null);
    receiver.answering = async ({ id }) =>
      id.charCodeAt(0) % 3 === 0 && receiver.refused.every((each) => each.id !== id) ? 503 : 204;
    const logIns = release(await prepare(84, app)).map((each) => each.catch(() => null));
    await Promise.all(logIns.slice(0, 20));
    await one.kill();
    await Promise.all(logIns);
    const { rows } = await postgres.sql.query(
      "select encode(digest, 'hex') as digest from sallyport_demo.sessions where app_names @> $1",
      [JSON.stringify([app])],
    );
    const expected = new Set(rows.map(({ digest }) => digests.sha256(`licence ${digest}`).slice(0, 32)));
    expect(expected.size).toBeGreaterThanOrEqual(20);
    const reported = () => new Map(receiver.about(app).map(({ id, data }) => [data.session, id]));
    const allReported = async () => {
      await postgres.sql.query("update sallyport_demo.records set due_at = now() where kind = 'licenceMessage'");
      return reported().size >= expected.size;
    };
    await until(allReported, { interval: 200, seen: () => [reported().size, expected.size] });
    expect(new Set(reported().keys())).toEqual(expected);
    const ids = new Set(receiver.about(app).map(({ id, data }) => `${data.session} ${id}`));
    expect(ids.size).toBe(expected.size);
  });
});

interface StartedProcess extends Subject {
  readonly kill: () => Promise<void>;
}
