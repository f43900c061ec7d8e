import { type RunningLimit, startLimit } from "../limits/start-limit.ts";
import { LoadGenerator } from "../load/load-generator.ts";
import { fillBareTables } from "../postgres/bare-tables.ts";
import { BenchDatabase } from "../postgres/bench-database.ts";
import { openPostgres, type PostgresServer } from "../postgres/postgres-server.ts";
import type { MeasuredProcess } from "../processes/measured-process.ts";
import { type FilledSchema, fillSchema, type SchemaRows } from "../product/fill-schema.ts";
import { logIn, logInRequest } from "../product/log-in.ts";
import { type PreparedSchema, prepareSchema } from "../product/prepare-schema.ts";
import { startProduct } from "../product/start-product.ts";

export const poolSize = 10;
export const connections = 32;

const rows: SchemaRows = { articles: 1_000, contacts: 1_000, users: 100, sessions: 500 };

/** The product with its small database, and with sessions that were opened by logging in. */
export interface RunningProduct {
  readonly address: string;
  readonly process: MeasuredProcess;
  readonly small: PreparedSchema & FilledSchema;
  readonly sessionIds: readonly string[];
}

/** Everything a scenario can ask for; what it asks for is started then, and ended by `close`. */
export class Stage {
  readonly generator = new LoadGenerator();
  private product: Promise<RunningProduct> | undefined;
  private readonly limits = new Map<string, Promise<RunningLimit>>();
  private readonly processes: MeasuredProcess[] = [];
  private bareTables: Promise<void> | undefined;

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

  runningProduct(): Promise<RunningProduct> {
    return (this.product ??= this.startProduct());
  }

  runningLimit(module: string): Promise<RunningLimit> {
    const running = this.limits.get(module) ?? this.startLimit(module);
    this.limits.set(module, running);
    return running;
  }

  async close(): Promise<void> {
    this.generator.close();
    await Promise.all(this.processes.map((process) => process.stop()));
    await this.database.drop();
    await this.postgres.stop();
  }

  private async startProduct(): Promise<RunningProduct> {
    const prepared = await prepareSchema(this.database.address, "sallyport");
    const filled = await fillSchema(this.database, prepared, rows);
    await this.database.run("vacuum analyze");
    const started = await startProduct({ databaseUrl: this.database.address, poolSize });
    this.processes.push(started.process);
    const sessionIds = await Promise.all(
      Array.from({ length: connections }, (_, index) => logIn(started.address, logInRequest(prepared.appKey, index + 1))),
    );
    return { ...started, small: { ...prepared, ...filled }, sessionIds };
  }

  private async startLimit(module: string): Promise<RunningLimit> {
    const { sessionIds } = await this.runningProduct();
    await (this.bareTables ??= fillBareTables(this.database, { ...rows, sessionIds }));
    const running = await startLimit(module, this.database.address, poolSize);
    this.processes.push(running.process);
    return running;
  }
}
