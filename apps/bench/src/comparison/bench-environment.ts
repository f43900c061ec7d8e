import { fileURLToPath } from "node:url";
import { LoadGenerator, type LoadRequest } from "../processes/load-generator.ts";
import { fillBareTables } from "../database/sample-data.ts";
import { BenchDatabase, openPostgres, type PostgresServer } from "../database/bench-database.ts";
import { freePort } from "../processes/environment.ts";
import { MeasuredProcess } from "../processes/measured-process.ts";
import { pollUntil } from "../processes/poll-until.ts";
import {
  type FilledSchema,
  fillSchema,
  type PreparedSchema,
  prepareSchema,
  type SchemaRows,
} from "../database/prepare-schema.ts";
import { logIn, logInRequest } from "./log-in.ts";
import { type ProductSettings, type StartedProduct, startProduct } from "../processes/start-product.ts";
import {
  type ComparedLine,
  compared,
  type Candidate,
  type ComparisonPlan,
  type ComparisonResult,
  compareCandidates,
} from "./compare-candidates.ts";
import { type Load, LoadedServer } from "./loaded-server.ts";
import type { Outcome } from "./outcome.ts";

export const connections = 32;
/** Connections to Postgres, for the product and for each limit. */
const poolSize = 10;

const limitFile = fileURLToPath(new URL("../limits/main.js", import.meta.url));

export const smallRows: SchemaRows = { articles: 1_000, contacts: 1_000, users: 100, sessions: 500 };

export type ReadySchema = PreparedSchema & FilledSchema;

/** The product on the small database, with sessions opened by log-in. */
interface RunningProduct extends StartedProduct {
  readonly sessionIds: readonly string[];
  /** Request headers that rotate through the sessions. */
  readonly headers: HeadersOf;
}

/** The resources of the scenarios. Each is created on first use and released by `close`. */
export class BenchEnvironment {
  readonly generator = new LoadGenerator();
  private readonly made = new Map<string, Promise<unknown>>();
  private readonly processes: MeasuredProcess[] = [];

  private constructor(
    private readonly postgres: PostgresServer,
    readonly database: BenchDatabase,
  ) {}

  static async open(): Promise<BenchEnvironment> {
    const postgres = await openPostgres();
    try {
      return new BenchEnvironment(postgres, await BenchDatabase.create(postgres));
    } catch (error) {
      await postgres.stop();
      throw error;
    }
  }

  /** The schema `sallyport` with a thousand objects. */
  smallSchema(): Promise<ReadySchema> {
    return this.once("small schema", () => this.schema("sallyport", smallRows));
  }

  /** Creates and fills a schema, with indexes on these attributes of `Contact`. */
  async schema(name: string, rows: SchemaRows, indexed: readonly string[] = []): Promise<ReadySchema> {
    const prepared = await prepareSchema(this.database.address, name, indexed, rows.emptyClasses);
    const filled = await fillSchema(this.database, prepared, rows);
    // Only its own tables: a running product may build indexes on others.
    const tables = await this.database.run(
      "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = $1",
      [name],
    );
    await this.database.run(`vacuum analyze ${tables.map((table) => table["name"]).join(", ")}`);
    // Flushes the new pages now, so that no measurement includes the flush.
    await this.database.run("checkpoint");
    return { ...prepared, ...filled };
  }

  /** Waits until the product has built the indexes on these attributes. */
  async builtIndexes({ schema }: ReadySchema, attributes: readonly string[]): Promise<void> {
    const built = `select count(*) as count from pg_index i join pg_class c on c.oid = i.indexrelid join pg_namespace n on n.oid = c.relnamespace
      cross join unnest($2::text[]) as attribute
      where n.nspname = $1 and i.indisvalid and strpos(pg_get_indexdef(i.indexrelid), '''' || attribute || '''') > 0`;
    const areBuilt = async () =>
      Number((await this.database.run(built, [schema, attributes]))[0]?.["count"]) >= attributes.length;
    if (!(await pollUntil(areBuilt, 120_000))) throw new Error("The product builds no indexes.");
  }

  runningProduct(): Promise<RunningProduct> {
    return this.once("product", async () => {
      const { appKey } = await this.smallSchema();
      const started = await this.startProduct({ "": "sallyport" });
      const logIns = Array.from({ length: connections }, (_, index) =>
        logIn(started.address, logInRequest(appKey, index + 1)),
      );
      const sessionIds = await Promise.all(logIns);
      return { ...started, sessionIds, headers: rotateCredentials(appKey, sessionIds) };
    });
  }

  /** Starts another process of the product. `schemas` maps each database alias to its schema. */
  async startProduct(
    schemas: Readonly<Record<string, string>>,
    settings: Pick<ProductSettings, "macros" | "files" | "fakeProvider" | "cheapHashes" | "workers"> = {},
  ): Promise<StartedProduct> {
    const databases = Object.entries(schemas).map(([alias, schema]) => ({
      alias,
      storage: { engine: "postgres", schema, pool: { max: poolSize } },
    }));
    const started = await startProduct({ databaseUrl: this.database.address, databases, ...settings });
    this.processes.push(started.process);
    return started;
  }

  /** The limit of this name, with a pool as large as the product's. `fakeProvider` is a URL, or empty. */
  runningLimit(limit: string, fakeProvider = ""): Promise<RunningServer> {
    return this.once(limit, async () => {
      await this.once("bare tables", async () => {
        const { sessionIds } = await this.runningProduct();
        await fillBareTables(this.database, { ...smallRows, sessionIds });
      });
      const port = await freePort();
      const address = `http://127.0.0.1:${port}`;
      const process = await MeasuredProcess.start({
        mainFile: limitFile,
        arguments: [String(port), this.database.address, String(poolSize), fakeProvider, limit],
        readyAddress: address,
      });
      this.processes.push(process);
      return { address, process };
    });
  }

  /** A candidate: a server under the load of all connections. */
  loaded(name: string, { process, address }: RunningServer, requests: Load["requests"], more: Partial<Load> = {}) {
    const load = { address, connections, requests, ...more };
    return new LoadedServer(name, process, load, this.generator, this.database);
  }

  /** Stops all processes and drops the database. Idempotent. */
  close(): Promise<void> {
    return this.once("close", async () => {
      this.generator.close();
      await Promise.allSettled(this.processes.map((process) => process.stop()));
      await this.database.drop().finally(() => this.postgres.stop());
    });
  }

  private once<T>(name: string, make: () => Promise<T>): Promise<T> {
    const made = (this.made.get(name) as Promise<T> | undefined) ?? make();
    this.made.set(name, made);
    return made;
  }
}

export interface RunningServer {
  readonly address: string;
  readonly process: MeasuredProcess;
}

/** One measurement. Returns a report line for each figure. */
export interface Scenario {
  readonly name: string;
  /** Runs only if `--only` names it. */
  readonly isOnDemand?: true;
  run(bench: BenchEnvironment, plan: ComparisonPlan): Promise<Outcome[]>;
}

/** The candidates of a comparison and the report lines computed from its result. */
interface CandidateSet {
  readonly candidates: readonly Candidate[];
  readonly lines: readonly (ComparedLine | ((result: ComparisonResult) => Outcome))[];
  /** Factor of the warm-up time, except of a quick run; default 1. */
  readonly longWarmUp?: number;
}

/** A scenario that measures candidates side by side. */
export function comparison(
  name: string,
  prepare: (bench: BenchEnvironment, plan: ComparisonPlan) => Promise<CandidateSet>,
): Scenario {
  return {
    name,
    async run(bench, plan) {
      const { candidates, lines, longWarmUp = 1 } = await prepare(bench, plan);
      const result = await compareCandidates(candidates, {
        ...plan,
        warmUp: (plan.quick ? 1 : longWarmUp) * plan.warmUp,
      });
      return lines.map((line) => (typeof line === "function" ? line(result) : compared(result, line)));
    },
  };
}

export type HeadersOf = (index: number) => LoadRequest["headers"];

/** Request headers that rotate through these credentials. */
export function rotateCredentials(appKey: string, credentials: readonly string[], header = "sessionid"): HeadersOf {
  return (index) => ({ appkey: appKey, [header]: credentials[index % credentials.length] ?? "" });
}

/** One GET request for each path. */
export function getRequests(paths: readonly string[], headers: HeadersOf): LoadRequest[] {
  return paths.map((path, index) => ({ method: "GET", path, headers: headers(index) }));
}

/** The cursor at the end of the list at this address. */
export async function cursorAfter(address: string, headers: Record<string, string>): Promise<string> {
  const answer = await fetch(address, { headers });
  const { data } = (await answer.json()) as { data?: { "~Cursor"?: string } };
  const cursor = data?.["~Cursor"];
  if (cursor === undefined) throw new Error(`The list ends without a cursor: ${answer.status}.`);
  return encodeURIComponent(cursor);
}

export const json = { "content-type": "application/json" };

const maxPlaces = 512;
/** A prime above every number of places, so that no place repeats within one pass. */
const stride = 7_919;

/** At most 512 places from 0 to `count` - 1, evenly spread, in an order without locality for caches. */
export function spreadIndexes(count: number): number[] {
  const places = Math.min(count, maxPlaces);
  return Array.from({ length: places }, (_, index) => Math.floor((((index * stride) % places) * count) / places));
}
