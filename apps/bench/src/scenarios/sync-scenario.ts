import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { BenchEnvironment, ReadySchema, RunningServer, Scenario } from "../comparison/bench-environment.ts";
import { json } from "../comparison/bench-environment.ts";
import { type ComparisonPlan, median } from "../comparison/compare-candidates.ts";
import { cpuDuring } from "../comparison/cpu-during.ts";
import { logIn, logInRequest } from "../comparison/log-in.ts";
import { atLeast, atMost, type Bound, type Costs, type Outcome } from "../comparison/outcome.ts";
import { sessionIdOf, withStorage } from "../database/prepare-schema.ts";
import { contactAttributes } from "../database/sample-data.ts";
import { mebibyte } from "../processes/file-client.ts";
import { SyncClient, type Upsert } from "../processes/sync-client.ts";

/** Changes of a delta, and pulls of it in a round. */
const changes = 100;
const pulls = 10;
const operations = 1_000;
const polls = 500;
/** Looks at the memory of a server with polls, and milliseconds between them. */
const looks = 12;
const rest = 1_000;

/** A schema of the database with a schema of synchronization for each class, named like the class. */
interface SyncDatabase {
  readonly schema: ReadySchema;
  /** Alias of the database as a path; the default database has none. */
  readonly path: string;
  readonly contacts: number;
}

interface SyncDatabases {
  readonly few: SyncDatabase;
  readonly all: SyncDatabase;
  readonly many: SyncDatabase;
}

/** Pulls of all objects and of a few changes, pushes, and the memory of pulls and long polls. */
export const syncScenario: Scenario = {
  name: "sync",
  async run(bench, plan) {
    const [few, all, many] = plan.quick ? [2_000, 20_000, 20_000] : [10_000, 100_000, 1_000_000];
    const large = await syncDatabase(bench, "/many", many);
    const databases = {
      few: await syncDatabase(bench, "", few),
      all: all === many ? large : await syncDatabase(bench, "/all", all),
      many: large,
    };
    const product = await startProduct(bench, databases);
    return [
      ...(await initialPull(bench, product, databases, plan)),
      await deltas(bench, product, databases, plan),
      await quietClass(bench, product, databases, plan),
      await push(bench, product, databases.few, plan),
      await longPolls(bench, databases.few, plan),
    ];
  },
};

async function syncDatabase(bench: BenchEnvironment, path: string, contacts: number): Promise<SyncDatabase> {
  const schema = await bench.schema(`sallyport_sync_${contacts}`, {
    articles: changes,
    contacts,
    users: 1,
    sessions: polls,
  });
  await withStorage(bench.database.address, schema.schema, async ({ repositories: r }) => {
    for (const name of ["Contact", "Article"]) {
      const classes = [{ className: name, fields: null }];
      const stored = { name, classes, where: null, direction: "both", conflicts: "client", pageSize: 5_000 };
      await r.records.put("syncSchema", name, stored);
    }
    await r.settings.raise();
  });
  return { schema, path, contacts };
}

function startProduct(bench: BenchEnvironment, databases: Partial<SyncDatabases>): Promise<RunningServer> {
  const schemas = Object.values(databases).map(({ path, schema }) => [path.slice(1), schema.schema]);
  return bench.startProduct(Object.fromEntries(schemas));
}

async function clientOf({ address }: RunningServer, { schema, path }: SyncDatabase, className = "Contact") {
  const base = `${address}${path}`;
  const sessionid = await logIn(base, logInRequest(schema.appKey, 1));
  return new SyncClient(`${base}/v1/sync/${className}`, { appkey: schema.appKey, sessionid });
}

/** Pulls everything. The memory is compared with that of a pull of few objects. */
async function initialPull(
  bench: BenchEnvironment,
  product: RunningServer,
  { few, all }: SyncDatabases,
  plan: ComparisonPlan,
): Promise<Outcome[]> {
  const [small, client] = [await clientOf(product, few), await clientOf(product, all)];
  const limit = await bench.runningLimit("express-stream");
  const peakOf = async (work: () => Promise<unknown>) => {
    await product.process.ask("watchMemory");
    await work();
    return (await product.process.ask("peakMemory")) / mebibyte;
  };
  for (let warmUp = 0; warmUp < 2; warmUp += 1) await client.pull("0");
  const [ours, theirs]: [Timed[], Timed[]] = [[], []];
  const [peaks, smallPeaks]: [number[], number[]] = [[], []];
  const stream = async () => (await fetch(`${limit.address}/stream/${all.schema.schema}`)).text();
  for (let round = 0; round < plan.rounds; round += 1) {
    await plan.turn();
    smallPeaks.push(await peakOf(() => small.pull("0")));
    peaks.push(await peakOf(async () => ours.push(await timed(bench, product, () => client.pull("0")))));
    theirs.push(await timed(bench, limit, stream));
  }
  const [times, limitTimes] = [ours, theirs].map((each) => each.map(({ time }) => time)) as [number[], number[]];
  const [count, fewer] = [all.contacts, few.contacts].map((each) => each.toLocaleString("en"));
  const perSecond = (each: readonly number[]) => (all.contacts / median(each)) * 1_000;
  return [
    {
      scenario: `initial pull of ${count} objects`,
      unit: "1/s",
      ours: perSecond(times),
      limit: perSecond(limitTimes),
      limitName: "Express + pg that stream the rows",
      ratio: median(limitTimes.map((time, round) => time / (times[round] ?? Number.NaN))),
      bound: atLeast(0.6),
      costs: costsOf(ours, theirs),
    },
    {
      scenario: "peak memory of the server during the pull",
      unit: "MiB",
      ours: median(peaks),
      limit: median(smallPeaks),
      limitName: `a pull of ${fewer}`,
      ratio: median(peaks) / median(smallPeaks),
      bound: atMost(1.25),
    },
  ];
}

/** Pulls of the same number of changes in a large and in a small database. */
async function deltas(
  bench: BenchEnvironment,
  product: RunningServer,
  { few, many }: SyncDatabases,
  plan: ComparisonPlan,
): Promise<Outcome> {
  const [small, large] = [await clientOf(product, few), await clientOf(product, many)];
  await small.pull();
  await large.pull();
  const measure = async (client: SyncClient, database: SyncDatabase) => {
    await change(bench, database, "Contact");
    return timed(bench, product, () => client.pull().then(expecting(changes)));
  };
  const scenario = `pull of ${changes} changes among ${many.contacts.toLocaleString("en")} objects`;
  return alternating(
    { ...plan, rounds: plan.rounds * pulls },
    scenario,
    few.contacts.toLocaleString("en"),
    atMost(1.3),
    {
      ours: () => measure(large, many),
      limit: () => measure(small, few),
    },
  );
}

/** Pulls of changes of one class, after all objects of another one have changed, and without other changes. */
async function quietClass(
  bench: BenchEnvironment,
  product: RunningServer,
  { few, many }: SyncDatabases,
  plan: ComparisonPlan,
): Promise<Outcome> {
  const [alone, beside] = [await clientOf(product, few, "Article"), await clientOf(product, many, "Article")];
  await alone.pull();
  await beside.pull();
  const before = await versionBefore(bench, many, beside.version);
  const measure = async (client: SyncClient, database: SyncDatabase, version: string) => {
    await change(bench, database, "Article");
    return timed(bench, product, () => client.pull(version).then(expecting(changes)));
  };
  const since = alone.version;
  const scenario = `pull of a quiet class beside ${many.contacts.toLocaleString("en")} changes of another`;
  return alternating({ ...plan, rounds: plan.rounds * pulls }, scenario, "the class alone", atMost(1.3), {
    ours: () => measure(beside, many, before),
    limit: () => measure(alone, few, since),
  });
}

/** The version of a client that synchronized before the contacts came: a generation and the stamp of the articles. */
async function versionBefore(bench: BenchEnvironment, { schema }: SyncDatabase, version: string): Promise<string> {
  const oldest = `select min(stamp)::text as stamp from ${schema.schema}.objects where class = 'Article'`;
  const stamp = String((await bench.database.run(oldest))[0]?.["stamp"]);
  return version.slice(0, -stampDigits) + stamp.padStart(stampDigits, "0");
}

const stampDigits = 16;

async function change(bench: BenchEnvironment, { schema: { schema } }: SyncDatabase, className: string): Promise<void> {
  const some = `select oid from ${schema}.objects where class = '${className}' order by class, oid limit ${changes}`;
  await bench.database.run(`update ${schema}.objects set version = version + 1 where oid in (${some})`);
}

/** Pushes, half of them creations and half of them changes, beside hand-written upserts of the same values. */
async function push(
  bench: BenchEnvironment,
  product: RunningServer,
  few: SyncDatabase,
  plan: ComparisonPlan,
): Promise<Outcome> {
  const client = await clientOf(product, few);
  await client.pull();
  const limit = await bench.runningLimit("express-upsert");
  const bare = async (upserts: readonly Upsert[]) => {
    const init = { method: "POST", headers: json, body: JSON.stringify(upserts) };
    const answer = await fetch(`${limit.address}/upserts`, init);
    if (!answer.ok) throw new Error(`The limit answered ${answer.status}.`);
    await answer.text();
  };
  const measure = (server: RunningServer, send: (upserts: readonly Upsert[]) => Promise<unknown>) => {
    let last: readonly string[] = [];
    return () => {
      const created = Array.from({ length: operations / 2 }, () => randomUUID());
      const upserts = [
        ...created.map((uuid) => ({ uuid, fields: contactAttributes })),
        ...last.map((uuid) => ({ uuid, fields: changed })),
      ];
      last = created;
      return timed(bench, server, () => send(upserts));
    };
  };
  const [ours, theirs] = [measure(product, (upserts) => client.push(upserts)), measure(limit, bare)];
  // The first push has creations only.
  await ours();
  await theirs();
  const {
    ours: time,
    limit: limitTime,
    ratio,
    ...outcome
  } = await alternating(
    { ...plan, rounds: plan.rounds * 3 },
    `push of ${operations.toLocaleString("en")} changes`,
    "Express + pg with upserts",
    atLeast(0.6),
    { ours, limit: theirs },
  );
  const perSecond = (milliseconds: number) => (operations / milliseconds) * 1_000;
  return {
    ...outcome,
    unit: "1/s",
    ours: perSecond(time),
    limit: perSecond(limitTime ?? Number.NaN),
    ratio: 1 / (ratio ?? Number.NaN),
  };
}

const changed = { City: "Cuxhaven", CreditLimit: 30_000 };

/** The memory of waiting clients, each with a session of its own, in a server of their own. */
async function longPolls(bench: BenchEnvironment, few: SyncDatabase, { quick }: ComparisonPlan): Promise<Outcome> {
  const product = await startProduct(bench, { few });
  const client = await clientOf(product, few);
  await client.pull();
  const clients = Array.from({ length: polls }, (_, index) => {
    const credentials = { appkey: few.schema.appKey, sessionid: sessionIdOf(index + 1) };
    const waiting = new SyncClient(`${product.address}/v1/sync/Contact`, credentials);
    waiting.version = client.version;
    return waiting;
  });
  // Compiles the code, and fills caches.
  for (const each of clients) await each.pull();
  const memory = async () => (await product.process.ask("liveMemory")) / mebibyte;
  const before = await memory();
  let peak = 0;
  const ended = new Set<SyncClient>();
  const waiting = clients.map((each) => each.wait().finally(() => ended.add(each)));
  // They are awaited after the looks. An earlier failure must not end the bench.
  for (const each of waiting) each.catch(() => {});
  // The requests arrive after some seconds on a busy machine.
  for (let look = 0; look < (quick ? looks / 4 : looks) && ended.size === 0; look += 1) {
    await pause(rest);
    if (ended.size === 0) peak = Math.max(peak, await memory());
  }
  const ours = peak - before;
  await change(bench, few, "Contact");
  for (const each of waiting) await each.then(expecting(changes));
  return { scenario: `memory of ${polls} long polls`, unit: "MiB", ours, bound: atMost(20) };
}

/** Throws for another number. */
function expecting(count: number): (found: number) => void {
  return (found) => {
    if (found !== count) throw new Error(`${found} objects came instead of ${count}.`);
  };
}

/** Times in milliseconds of two candidates in turn, and their ratio. */
async function alternating(
  plan: ComparisonPlan,
  scenario: string,
  limitName: string,
  bound: Bound,
  measure: { readonly ours: () => Promise<Timed>; readonly limit: () => Promise<Timed> },
): Promise<Outcome> {
  const [ours, theirs]: [Timed[], Timed[]] = [[], []];
  for (let round = 0; round < plan.rounds; round += 1) {
    await plan.turn();
    ours.push(await measure.ours());
    theirs.push(await measure.limit());
  }
  const [one, other] = [ours, theirs].map((each) => median(each.map(({ time }) => time))) as [number, number];
  const costs = costsOf(ours, theirs);
  return { scenario, unit: "ms", ours: one, limit: other, limitName, ratio: one / other, bound, costs };
}

/** Milliseconds, and microseconds of CPU time of server and database. */
interface Timed {
  readonly time: number;
  readonly cost: number;
}

async function timed(
  { database }: BenchEnvironment,
  { process }: RunningServer,
  work: () => Promise<unknown>,
): Promise<Timed> {
  const { cpu, backendCpu, result } = await cpuDuring(process, database, async () => {
    const start = performance.now();
    await work();
    return performance.now() - start;
  });
  return { time: result, cost: cpu + (backendCpu ?? 0) };
}

function costsOf(ours: readonly Timed[], limit: readonly Timed[]): Costs {
  return { ours: ours.map(({ cost }) => cost), limit: limit.map(({ cost }) => cost) };
}
