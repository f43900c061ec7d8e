import { randomBytes } from "node:crypto";
import pg from "pg";
import type { PostgresServer } from "./postgres-server.ts";

/** A database of this run's own. */
export class BenchDatabase {
  private constructor(
    private readonly server: PostgresServer,
    private readonly name: string,
    readonly address: string,
    private readonly client: pg.Client,
  ) {}

  static async create(server: PostgresServer): Promise<BenchDatabase> {
    const name = `bench_${randomBytes(6).toString("hex")}`;
    await onServer(server, `create database ${name}`);
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

  /** Process ids of the backends that serve this database, but for the bench's own. */
  async backends(): Promise<number[]> {
    const rows = await this.run("select pid from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()", [
      this.name,
    ]);
    return rows.map(({ pid }) => Number(pid));
  }

  async drop(): Promise<void> {
    await this.client.end();
    await onServer(this.server, `drop database if exists ${this.name} with (force)`);
  }
}

async function onServer({ address }: PostgresServer, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
