import { appKeyDigest } from "@sallyport/core";
import { NodeDigests } from "@sallyport/crypto";
import { objectIdOf } from "@sallyport/storage";
import { atLeast, type Outcome } from "../comparison/outcome.ts";
import { compareCandidates, compared, type ComparisonPlan, median } from "../comparison/compare-candidates.ts";
import {
  type BenchEnvironment,
  cursorAfter,
  getRequests,
  type HeadersOf,
  json,
  type ReadySchema,
  rotateCredentials,
  type Scenario,
  spreadIndexes,
} from "../comparison/bench-environment.ts";
import { logInRequest } from "../comparison/log-in.ts";
import { contactAttributes } from "../database/sample-data.ts";
import { type SchemaRows, sessionIdOf, userNameOf, withStorage } from "../database/prepare-schema.ts";
import type { LoadRequest } from "../processes/load-generator.ts";
import type { StartedProduct } from "../processes/start-product.ts";

const mebibyte = 1024 * 1024;
/** The work of a tree grows by a sixth from a million to ten million rows. */
const bound = atLeast(Math.round(1000 / 1.2) / 1000);

/** The rows of an installation of this many objects, in proportion. */
function rowsOf(objects: number): SchemaRows & { readonly aliases: number } {
  return {
    articles: 0,
    contacts: objects,
    events: objects,
    sessions: objects / 10,
    users: objects / 100,
    emptyClasses: Math.floor(objects / 1_000),
    aliases: Math.floor(objects / 10_000),
  };
}

/** An installation beside one of a tenth of its size: what each costs at rest, and a request to it under load. */
export const largeScenario: Scenario = {
  name: "large",
  isOnDemand: true,
  async run(bench, plan) {
    const [tenth, whole] = [await Installation.fill(bench, plan.size / 10), await Installation.fill(bench, plan.size)];
    const starts = [...(await tenth.starts(plan)), ...(await whole.starts(plan))];
    return [...starts, ...(await underLoad(bench, plan, tenth, whole))];
  },
};

/** A database with objects, and aliases without content. */
class Installation {
  private constructor(
    private readonly bench: BenchEnvironment,
    readonly size: number,
    readonly rows: ReturnType<typeof rowsOf>,
    readonly schema: ReadySchema,
    private readonly aliases: readonly string[],
    readonly administrator: HeadersOf,
  ) {}

  static async fill(bench: BenchEnvironment, size: number): Promise<Installation> {
    const rows = rowsOf(size);
    const schema = await bench.schema(`sallyport_${size}`, rows);
    const administrator = await openAdministration(bench, schema, rows);
    const aliases = Array.from({ length: rows.aliases }, (_, index) => `alias_${size}_${index}`);
    for (const alias of aliases) await withStorage(bench.database.address, alias, (storage) => storage.migrate());
    return new Installation(bench, size, rows, schema, aliases, administrator);
  }

  get name(): string {
    return this.size.toLocaleString("en");
  }

  /** Time of the start and memory at rest: of the database alone, and with all aliases. */
  async starts({ quick }: ComparisonPlan): Promise<Outcome[]> {
    const rounds = quick ? 1 : 3;
    const alone = { "": this.schema.schema };
    const all = {
      ...alone,
      ...Object.fromEntries(this.aliases.map((schema) => [schema.replaceAll("_", "-"), schema])),
    };
    return [
      ...(await this.startWith(alone, `with ${this.name} objects`, rounds)),
      ...(await this.startWith(all, `with ${this.name} objects and ${this.aliases.length} aliases`, rounds)),
    ];
  }

  private async startWith(schemas: Readonly<Record<string, string>>, what: string, rounds: number) {
    const [times, memory]: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round += 1) {
      const { process, startedWithin } = await this.bench.startProduct(schemas);
      times.push(startedWithin);
      memory.push((await process.ask("restingMemory")) / mebibyte);
      await process.stop();
    }
    return [
      { scenario: `start ${what}`, unit: "ms", ours: median(times) },
      { scenario: `memory at rest ${what}`, unit: "MiB", ours: median(memory) },
    ] satisfies Outcome[];
  }
}

/** Makes the last sample user an administrator with a session. Returns its headers. */
async function openAdministration(
  { database }: BenchEnvironment,
  { schema }: ReadySchema,
  { users, sessions }: SchemaRows,
): Promise<HeadersOf> {
  const [appKey, sessionId] = [`administration-${schema}`, sessionIdOf(sessions + 1)];
  const key = { name: "administration", appNames: null, origins: [] };
  await withStorage(database.address, schema, (storage) =>
    storage.repositories.appKeys.create(key, appKeyDigest(appKey, "admin", new NodeDigests())),
  );
  const name = userNameOf(users);
  await database.run(`update ${schema}.accounts set administrator = true where login_name = $1`, [name]);
  await database.run(
    `insert into ${schema}.sessions (digest, mode, app_key_id, user_id, secret_version, app_names, opened_at, expires_at, ends_at)
     select sha256($1::bytea), 'session', k.id, user_id, secret_version, '[]', now(), now() + interval '12 hours', now() + interval '12 hours'
     from ${schema}.accounts, ${schema}.app_keys k where login_name = $2 and k.name = 'administration'`,
    [sessionId, name],
  );
  return rotateCredentials(appKey, [sessionId]);
}

/** Requests to one process that serves both. */
async function underLoad(
  bench: BenchEnvironment,
  plan: ComparisonPlan,
  tenth: Installation,
  whole: Installation,
): Promise<Outcome[]> {
  const product = await bench.startProduct(
    { whole: whole.schema.schema, tenth: tenth.schema.schema },
    { cheapHashes: true },
  );
  const sides = [
    { name: "", requests: await requestsTo(product, "/whole", whole) },
    { name: " of a tenth", requests: await requestsTo(product, "/tenth", tenth) },
  ];
  const names = Object.keys(sides[0]?.requests ?? {});
  const candidates = names.flatMap((name) =>
    sides.map((side) => bench.loaded(name + side.name, product, side.requests[name] ?? [])),
  );
  const result = await compareCandidates(candidates, plan);
  const rows = names.map((name) =>
    compared(result, {
      scenario: `${name} among ${whole.name} objects`,
      ours: name,
      limit: `${name} of a tenth`,
      bound,
    }),
  );
  const depth = { ours: byNumber, limit: `${byNumber} of a tenth` };
  const memory = (await product.process.ask("sample")).residentMemory / mebibyte;
  return [
    ...rows.map((row) => (row.oursName === depth.ours ? withoutBound(row) : row)),
    { scenario: "memory after these requests", unit: "MiB", ours: memory },
  ];
}

/** A page by number reads all objects before it. */
function withoutBound({ bound: _bound, ...row }: Outcome): Outcome {
  return row;
}

const byNumber = "deep page by number";

/** The requests of each kind, by name. */
async function requestsTo(
  { address }: StartedProduct,
  path: string,
  { rows, schema, administrator }: Installation,
): Promise<Readonly<Record<string, readonly LoadRequest[]>>> {
  const headers = rotateCredentials(
    schema.appKey,
    spreadIndexes(rows.sessions).map((place) => sessionIdOf(place + 1)),
  );
  const list = `${path}/v1/objects/Contact?perPage=100&count=capped`;
  const depth = rows.contacts / 2_000;
  const cursor = await cursorAfter(`${address}${list}&page=${depth - 1}`, headers(0));
  const since = new Date(Date.now() - ((rows.events ?? 0) / 2) * 1_000).toISOString();
  const gets = (paths: readonly string[]) => getRequests(paths, headers);
  const administered = (suffix: string) => getRequests([`${path}/admin/v1/${suffix}`], administrator);
  const user = encodeURIComponent(userNameOf(rows.users / 2));
  return {
    "session check": gets(spreadIndexes(rows.sessions).map(() => `${path}/_CheckSession`)),
    read: gets(
      spreadIndexes(rows.contacts).map((place) => `${path}/v1/object/${objectIdOf(schema.firstContact + place)}`),
    ),
    "list of 100": gets([list]),
    "deep page by cursor": gets([`${list}&cursor=${cursor}`]),
    [byNumber]: gets([`${list}&page=${depth}`]),
    creation: spreadIndexes(rows.sessions).map((place) => ({
      method: "POST",
      path: `${path}/v1/object/Contact`,
      headers: { ...headers(place), ...json },
      body: JSON.stringify(contactAttributes),
    })),
    "log-in": spreadIndexes(rows.users).map((place) => {
      const request = logInRequest(schema.appKey, place + 1);
      return { ...request, path: path + request.path };
    }),
    "audit by time": administered(`audit?limit=100&since=${since}`),
    // A page asks for each name by a statement, so a hundred on all connections would queue beyond the limit of the pool.
    "list of 10 sessions": administered("sessions?limit=10"),
    "list of 100 users": administered(`users?limit=100&after=${user}`),
  };
}
