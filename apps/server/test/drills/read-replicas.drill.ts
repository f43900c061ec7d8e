import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type LogInMode, SallyportClient } from "@sallyport/client";
import pg from "pg";
import { modes } from "../modes.ts";
import { requireVerified } from "../require-intact.ts";
import { ServerProcess } from "../processes/server-process.ts";
import { withoutBudgets } from "../test-environment.ts";
import { PostgresCluster, postgresPrograms } from "./postgres-cluster.ts";

const programs = postgresPrograms();
const className = "Customer";

interface Note {
  readonly Name: string;
  readonly City: string | null;
}

// Needs pg_basebackup, which is not among the binaries that npm installs.
(programs === null ? describe.skip : describe)("read replicas", () => {
  let directory: string;
  let cluster: PostgresCluster;
  let primary: pg.Client;
  let standby: pg.Client;
  const servers: ServerProcess[] = [];
  let urls: readonly string[] = [];

  const settings = () => ({
    ...withoutBudgets,
    PORT: "0",
    DATA_DIR: directory,
    DATABASE_URL: cluster.url(),
    LOG_LEVEL: "info",
  });
  const launch = (words: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
    new ServerProcess(words, { ...settings(), ...environment }, directory);
  const start = async (environment: Readonly<Record<string, string>>) => {
    const server = launch(["serve"], environment);
    servers.push(server);
    return server.url();
  };
  const connect = async (connectionString: string) => {
    const client = new pg.Client({ connectionString });
    client.on("error", () => {});
    await client.connect();
    return client;
  };
  /** A client whose requests go to the servers in turn. */
  const logIn = async (mode: LogInMode, user: string, to = urls) => {
    let turn = 0;
    const [baseUrl = ""] = to;
    const alternating: typeof fetch = (target, init) => {
      turn += 1;
      return fetch(String(target).replace(baseUrl, to[turn % to.length] as string), init);
    };
    const client = new SallyportClient({ baseUrl, appKey: "demo-app-key", renew: false, fetch: alternating });
    const { user: own } = await client.logIn({ mode, user, password: user, appNames: ["demo-app"] });
    return { client, id: own["~ObjectID"] };
  };
  /** The reads of both servers, by outcome. */
  const reads = async () => {
    const sums = { served: 0, behind: 0, failed: 0, unavailable: 0 };
    for (const url of urls) {
      const text = await (await fetch(`${url}/metrics`)).text();
      for (const outcome of Object.keys(sums) as (keyof typeof sums)[])
        sums[outcome] += Number(
          new RegExp(`^sallyport_replica_reads_total\\{.*outcome="${outcome}"\\} (\\d+)$`, "m").exec(text)?.[1] ?? 0,
        );
    }
    return sums;
  };
  const during = async (work: () => Promise<unknown>) => {
    const before = await reads();
    await work();
    const after = await reads();
    const entries = Object.entries(after).map(([name, count]) => [name, count - before[name as keyof typeof before]]);
    return Object.fromEntries(entries) as typeof before;
  };
  const repeat = async (times: number, work: (index: number) => Promise<unknown>) => {
    for (let index = 0; index < times; index += 1) await work(index);
  };
  /** Until both servers read on the replica. */
  const untilServed = async (client: SallyportClient) => {
    const list = () => client.listObjects(className, { perPage: 1 });
    const deadline = performance.now() + 20_000;
    for (;;) {
      const { served } = await during(() => repeat(4, list));
      if (served >= 4) return;
      if (performance.now() > deadline) throw new Error("The replica takes no reads.");
      await pause(100);
    }
  };

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "sallyport-"));
    cluster = await PostgresCluster.start(programs as string, false);
    // The first one creates the demo.
    const replicated = { DATABASE_READ_URLS: `${cluster.primary.url},${cluster.standby.url}` };
    urls = [await start(replicated), await start(replicated)];
    primary = await connect(cluster.primary.url);
    standby = await connect(cluster.standby.url);
    const { client } = await logIn("session", "demo");
    await untilServed(client);
  }, 120_000);
  afterAll(async () => {
    for (const server of servers) await server.kill();
    await primary.end();
    await standby.end().catch(() => {});
    await cluster.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  describe.each(modes)("of a %s session", (mode) => {
    /** Writes on one server, and lists on the other one, which must show the write. */
    const writeAndList = async (client: SallyportClient, name: string) => {
      const where = { Name: name };
      const { "~ObjectID": id } = await client.createObject(className, { Name: name, City: "York" });
      const list = () => client.listObjects<Note>(className, { query: { where } });
      expect((await list())["~Elements"].map(({ City }) => City)).toEqual(["York"]);
      await client.updateObject(id, { City: "Graz" });
      expect((await list())["~Elements"].map(({ City }) => City)).toEqual(["Graz"]);
      expect(await client.countObjects(className, { query: { where: { ...where, City: "Graz" } } })).toBe(1);
      await client.deleteObject(id);
      expect(await client.countObjects(className, { query: { where } })).toBe(0);
    };

    test("a caught-up replica answers lists, and the primary does not", async () => {
      const { client } = await logIn(mode, "demo");
      const round = async () => {
        await untilServed(client);
        const began = new Date();
        return { began, ...(await during(() => repeat(50, () => client.listObjects("Invoice", { perPage: 10 })))) };
      };
      let outcome = await round();
      // The servers write by themselves now and then, and a busy disk delays the replay.
      for (let others = 4; others > 0 && outcome.behind > 0; others -= 1) outcome = await round();
      expect(outcome).toMatchObject({ behind: 0, failed: 0, unavailable: 0 });
      expect(outcome.served).toBeGreaterThanOrEqual(100);
      const lists =
        "select from pg_stat_activity where query like 'select o.class, case when o.total <= %' and query_start > $1";
      expect((await standby.query(lists, [outcome.began])).rowCount).toBeGreaterThan(0);
      expect((await primary.query(lists, [outcome.began])).rowCount).toBe(0);
    });

    test("a list shows the own writes, on a standby at once, with a delay, and without replay", async () => {
      const { client } = await logIn(mode, "demo");
      await untilServed(client);
      const soon = await during(() => repeat(20, (index) => writeAndList(client, `${mode} soon ${index}`)));
      await standby.query("alter system set recovery_min_apply_delay = '20ms'");
      await standby.query("select pg_reload_conf()");
      const late = await during(() => repeat(20, (index) => writeAndList(client, `${mode} late ${index}`)));
      await standby.query("alter system reset recovery_min_apply_delay");
      await standby.query("select pg_reload_conf(), pg_wal_replay_pause()");
      const never = await during(() => repeat(20, (index) => writeAndList(client, `${mode} never ${index}`)));
      await standby.query("select pg_wal_replay_resume()");
      await untilServed(client);
      console.log(`A ${mode} session: ${JSON.stringify({ soon, late, never })}`);
      expect(soon.served).toBeGreaterThan(60);
      expect(late.served).toBeGreaterThan(20);
      expect(never).toMatchObject({ served: 0, failed: 0, unavailable: 0 });
      expect(never.behind).toBeGreaterThanOrEqual(80);
    });

    test("a list does not show what was taken away, and shows a changed model", async () => {
      const admin = await logIn(mode, "admin");
      const owner = await logIn(mode, "demo");
      const other = await logIn(mode, "reader");
      const kind = `Note_${mode}`;
      const definition = { attributes: [{ name: "Title", type: "string" as const }] };
      const rights = [{ group: "*", permissions: ["read", "create", "write", "delete"] as const }];
      await admin.client.putClass(kind, { ...definition, rights });
      const one = await owner.client.createObject(kind, { Title: "one" });
      const two = await owner.client.createObject(kind, { Title: "two" });
      const titles = async () =>
        (await other.client.listObjects<{ Title: string }>(kind))["~Elements"].map(({ Title }) => Title).toSorted();
      await untilServed(owner.client);
      expect(await titles()).toEqual(["one", "two"]);

      await standby.query("select pg_wal_replay_pause()");
      await owner.client.setReaders(one["~ObjectID"], [owner.id]);
      expect(await titles()).toEqual(["two"]);
      await owner.client.deleteObject(two["~ObjectID"]);
      expect(await titles()).toEqual([]);
      const wider = {
        attributes: [...definition.attributes, { name: "Stars", type: "number" as const, indexed: true }],
      };
      await admin.client.putClass(kind, { ...wider, rights });
      await owner.client.updateObject(one["~ObjectID"], { Stars: 5 });
      expect(await owner.client.countObjects(kind, { query: { where: { Stars: 5 } } })).toBe(1);
      await admin.client.putClass(kind, { ...wider, rights: [] });
      await expect(titles()).rejects.toMatchObject({ code: 304 });
      await standby.query("select pg_wal_replay_resume()");
      await untilServed(owner.client);
    });
  });

  test.each([
    ["killed", () => cluster.standby.kill(), () => cluster.standby.restart()],
    ["frozen", async () => cluster.standby.freeze(true), async () => cluster.standby.freeze(false)],
  ])(
    "a %s replica is left out and taken back, and no request fails",
    async (title, lose, bringBack) => {
      const clients = await Promise.all(modes.map(async (mode) => (await logIn(mode, "demo")).client));
      await untilServed(clients[0] as SallyportClient);
      const over = new AbortController();
      let answered = 0;
      let longest = 0;
      const list = async (client: SallyportClient) => {
        while (!over.signal.aborted) {
          const began = performance.now();
          await client.listObjects("Invoice", { perPage: 20, serialization: { type: "full", depth: 1 } as never });
          longest = Math.max(longest, performance.now() - began);
          answered += 1;
        }
      };
      const listing = Promise.all(clients.map(list));
      await pause(1_000);
      await lose();
      await pause(3_000);
      const without = await during(() => pause(1_000));
      for (const url of urls) expect((await fetch(`${url}/readyz`)).status).toBe(200);
      await bringBack();
      await pause(3_000);
      const back = await during(() => pause(1_000));
      over.abort();
      await listing;
      console.log(
        `${title}: ${answered} lists, the longest took ${Math.round(longest)} ms; ${JSON.stringify({ without, back })}`,
      );
      expect(without.served).toBe(0);
      expect(without.unavailable).toBeGreaterThan(0);
      expect(back.served).toBeGreaterThan(0);
      expect(longest).toBeLessThan(4_000);
      const replica = new URL(cluster.standby.url).host;
      for (const server of servers) {
        const messages = server.lines().filter((line) => line["replica"] === replica);
        expect(messages.map(({ msg }) => msg)).toEqual(
          expect.arrayContaining(["Replica left out", "Replica takes reads"]),
        );
        expect(JSON.stringify(server.lines())).not.toContain("postgres@");
      }
      standby = await connect(cluster.standby.url);
    },
    120_000,
  );

  test("a read that replay cancels is repeated on the primary", async () => {
    const clients = await Promise.all(modes.map(async (mode) => (await logIn(mode, "demo")).client));
    await untilServed(clients[0] as SallyportClient);
    await standby.query("alter system set max_standby_streaming_delay = 0");
    await standby.query("select pg_reload_conf()");
    const over = new AbortController();
    const list = async (client: SallyportClient) => {
      // No index serves it.
      const query = { where: { Number: { $contains: "7" } } };
      while (!over.signal.aborted)
        expect((await client.listObjects("Invoice", { perPage: 500, query }))["~Count"]).toBeGreaterThan(200);
    };
    const outcomes = await during(async () => {
      const listing = Promise.all([...clients, ...clients].map(list));
      const deadline = performance.now() + 30_000;
      const conflicts = async () => {
        const text = "select sum(confl_lock)::integer as count from pg_stat_database_conflicts";
        return (await standby.query<{ count: number }>(text)).rows[0]?.count ?? 0;
      };
      while ((await conflicts()) < 5 && performance.now() < deadline) {
        await primary.query("begin; lock table sallyport_demo.objects in access exclusive mode; commit");
        await pause(5);
      }
      over.abort();
      await listing;
    });
    await standby.query("alter system reset max_standby_streaming_delay");
    await standby.query("select pg_reload_conf()");
    console.log(`Conflicts: ${JSON.stringify(outcomes)}`);
    expect(outcomes.failed).toBeGreaterThan(0);
    expect(outcomes.served).toBeGreaterThan(0);
  }, 60_000);

  test("a replica takes most of the work of lists from the primary, also beside constant writes", async () => {
    const alone = [await start({ DATABASE_READ_URLS: "" }), await start({ DATABASE_READ_URLS: "" })];
    const lists = 250;
    /** Lists one after another, beside the writes of four clients. Microseconds per list. */
    const measure = async (to: readonly string[], writers: number) => {
      const { client } = await logIn("session", "demo", to);
      const list = () => client.listObjects("Invoice", { perPage: 100 });
      const over = new AbortController();
      let writes = 0;
      const write = async () => {
        while (!over.signal.aborted) {
          await client.createObject(className, { Name: `Written ${writes}` });
          writes += 1;
        }
      };
      const writing = Promise.all(Array.from({ length: writers }, write));
      await repeat(50, list);
      const began = { now: performance.now(), primary: cluster.primary.cpu(), standby: cluster.standby.cpu(), writes };
      const times: number[] = [];
      const outcomes = await during(() =>
        repeat(lists, async () => {
          const start = performance.now();
          await list();
          times.push(performance.now() - start);
        }),
      );
      const took = (performance.now() - began.now) / 1_000;
      const each = (after: number, before: number) => Math.round(((after - before) * 1_000) / lists);
      const primaryCpu = each(cluster.primary.cpu(), began.primary);
      const standbyCpu = each(cluster.standby.cpu(), began.standby);
      const perSecond = Math.round((writes - began.writes) / took);
      over.abort();
      await writing;
      const sorted = times.toSorted((one, other) => one - other);
      const [median, p99] = [0.5, 0.99].map((part) => (sorted[Math.floor(part * lists)] ?? 0).toFixed(1));
      return { primaryCpu, standbyCpu, writes: perSecond, median, p99, ...outcomes };
    };
    const [without, replicated] = [await measure(alone, 0), await measure(urls, 0)];
    const [busy, replicatedBusy] = [await measure(alone, 4), await measure(urls, 4)];
    console.log(`Lists of 100: ${JSON.stringify({ without, replicated, busy, replicatedBusy }, null, 1)}`);
    expect(replicated.primaryCpu).toBeLessThan(without.primaryCpu / 2);
    expect(replicatedBusy.served / (replicatedBusy.served + replicatedBusy.behind)).toBeGreaterThan(0.8);
  }, 300_000);

  test("after a failover the new primary answers, and is not a replica", async () => {
    const clients = await Promise.all(modes.map(async (mode) => (await logIn(mode, "demo")).client));
    await untilServed(clients[0] as SallyportClient);
    await cluster.primary.kill();
    await cluster.standby.promote();
    // Nothing proves to the servers that this asynchronous standby lacked nothing.
    expect((await launch(["recover", "--nothing-lost"]).ended).code).toBe(0);
    await pause(2_000);
    for (const client of clients) {
      const { "~ObjectID": id } = await client.createObject(className, { Name: "After" });
      const oids = [id];
      const outcomes = await during(async () => {
        expect(await client.countObjects(className, { query: { oids } })).toBe(1);
      });
      expect(outcomes).toMatchObject({ served: 0, behind: 0, failed: 0 });
    }
    const name = new URL(cluster.standby.url).host;
    const left = expect.objectContaining({ msg: "Replica left out", replica: name, reason: "It is not a standby." });
    for (const server of servers.slice(0, 2)) expect(server.lines()).toContainEqual(left);
    await requireVerified(settings(), directory);
  }, 60_000);
});
