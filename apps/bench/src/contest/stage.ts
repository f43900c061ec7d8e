import { fileURLToPath } from "node:url";
import { LoadGenerator } from "../processes/load-generator.ts";
import { fillBareTables } from "../database/sample-data.ts";
import { BenchDatabase, openPostgres, type PostgresServer } from "../database/bench-database.ts";
import { freePort, MeasuredProcess, pollUntil } from "../processes/measured-process.ts";
import {
  type FilledSchema,
  fillSchema,
  type PreparedSchema,
  prepareSchema,
  type SchemaRows,
} from "../database/prepare-schema.ts";
import { logIn, logInRequest } from "./log-in.ts";
import { type ProductSettings, type StartedProduct, startProduct } from "../processes/start-product.ts";
import type { ContestPlan } from "./hold-contest.ts";
import type { Outcome } from "./outcome.ts";

/** Connections of the load. */
export const connections = 32;
/** Connections to Postgres, of the product as of the limits. */
const poolSize = 10;

const limitEntry = fileURLToPath(new URL("../limits/main.js", import.meta.url));

export const smallRows: SchemaRows = { articles: 1_000, contacts: 1_000, users: 100, sessions: 500 };

export type ReadySchema = PreparedSchema & FilledSchema;

/** The product on its small database, and sessions that were opened by logging in. */
interface RunningProduct extends StartedProduct {
  readonly sessionIds: readonly string[];
}

/** Everything a scenario can ask for; what it asks for is made then, and ended by `close`. */
export class Stage {
  readonly generator = new LoadGenerator();
  private readonly made = new Map<string, Promise<unknown>>();
  private readonly processes: MeasuredProcess[] = [];

  private constructor(
    private readonly postgres: PostgresServer,
    readonly database: BenchDatabase,
  ) {}

  static async open(): Promise<Stage> {
    const postgres = await openPostgres();
    try {
      return new Stage(postgres, await BenchDatabase.create(postgres));
    } catch (error) {
      await postgres.stop();
      throw error;
    }
  }

  /** The schema `sallyport` with a thousand objects. */
  smallSchema(): Promise<ReadySchema> {
    return this.once("small schema", () => this.schema("sallyport", smallRows));
  }

  /** The schema of another database, with indexes of these attributes of `Contact`. */
  async schema(name: string, rows: SchemaRows, indexed: readonly string[] = []): Promise<ReadySchema> {
    const prepared = await prepareSchema(this.database.address, name, indexed);
    const filled = await fillSchema(this.database, prepared, rows);
    // Only its own tables: a running product may be building indexes elsewhere.
    const tables = await this.database.run(
      "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = $1",
      [name],
    );
    await this.database.run(`vacuum analyze ${tables.map((table) => table["name"]).join(", ")}`);
    // What was just written would be flushed while something is measured.
    await this.database.run("checkpoint");
    return { ...prepared, ...filled };
  }

  /** Waits until the product has built the indexes of these attributes. */
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
      return { ...started, sessionIds: await Promise.all(logIns) };
    });
  }

  /** Another process of the product, with these schemas by alias, and macros or an imitation of providers if any. */
  async startProduct(
    schemas: Readonly<Record<string, string>>,
    settings: Pick<ProductSettings, "macros" | "imitation"> = {},
  ): Promise<StartedProduct> {
    const databases = Object.entries(schemas).map(([alias, schema]) => ({
      alias,
      storage: { engine: "postgres", schema, pool: { max: poolSize } },
    }));
    const started = await startProduct({ databaseUrl: this.database.address, databases, ...settings });
    this.processes.push(started.process);
    return started;
  }

  /** The limit of this name; `imitation` is the address of the providers that it asks, if any. */
  runningLimit(limit: string, imitation?: string): Promise<RunningLimit> {
    return this.once(limit, async () => {
      await this.once("bare tables", async () => {
        const { sessionIds } = await this.runningProduct();
        await fillBareTables(this.database, { ...smallRows, sessionIds });
      });
      const running = await startLimit(limit, this.database.address, imitation);
      this.processes.push(running.process);
      return running;
    });
  }

  /** Leaves nothing behind. May be called twice. */
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

export interface RunningLimit {
  readonly address: string;
  readonly process: MeasuredProcess;
}

/** Starts the limit of this name; those that ask a database share one pool size with the product, those that ask a provider get its address. */
async function startLimit(limit: string, databaseAddress: string, imitation = ""): Promise<RunningLimit> {
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  const process = await MeasuredProcess.start({
    entry: limitEntry,
    arguments: [String(port), databaseAddress, String(poolSize), imitation, limit],
    readyAddress: address,
  });
  return { address, process };
}

/** One thing to be measured; gives a line of the report for each figure. */
export interface Scenario {
  readonly name: string;
  run(stage: Stage, plan: ContestPlan): Promise<Outcome[]>;
}

const mostPlaces = 512;
/** A prime above all numbers of places, so that none repeats before all were visited. */
const stride = 7_919;

/** At most 512 places from 0 below `count`, spread over all of it and in no order that a cache would like. */
export function scattered(count: number): number[] {
  const places = Math.min(count, mostPlaces);
  return Array.from({ length: places }, (_, index) => Math.floor((((index * stride) % places) * count) / places));
}
