import { randomBytes } from "node:crypto";
import mysql from "mysql2/promise";
import {
  createMariadbKnex,
  type MariadbKnex,
  type MariadbSettings,
  MariadbStorage,
  type MariadbStorageOptions,
} from "../../src/index.ts";

/** The server that MARIADB_URL names, and what tests open on it. Its user must be allowed to create databases. */
export interface TestMariadb {
  readonly url: string;
  /** A connection that is not one of the pool's. */
  readonly admin: mysql.Connection;
  /** The name of a database that does not exist; whatever comes to be under it is dropped at the end. */
  freshName(): string;
  connect(
    settings?: Partial<Omit<MariadbSettings, "pool">> & { pool?: Partial<MariadbSettings["pool"]> },
  ): Promise<MariadbKnex>;
  storage(options: Partial<MariadbStorageOptions> & { readonly database: string }): Promise<MariadbStorage>;
  close(): Promise<void>;
}

/** The database that keeps what the migrations have put into another one. */
export function initialOf(name: string): string {
  return `${name}_initial`;
}

export async function openTestMariadb(): Promise<TestMariadb> {
  const url = process.env["MARIADB_URL"];
  if (url === undefined || url === "") throw new Error("MARIADB_URL names no server.");
  const { hostname, port, username, password } = new URL(url);
  const admin = await mysql.createConnection({
    host: hostname,
    port: Number(port || 3306),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    charset: "utf8mb4",
    multipleStatements: true,
  });
  const names: string[] = [];
  const opened: MariadbKnex[] = [];
  let shared: Promise<MariadbKnex> | undefined;

  const connect: TestMariadb["connect"] = async ({ pool, ...settings } = {}) => {
    const engine = await createMariadbKnex({
      url,
      connectTimeout: 5_000,
      statementTimeout: 10_000,
      ...settings,
      pool: { max: 8, acquireTimeout: 5_000, maxPendingAcquires: 100, ...pool },
    });
    opened.push(engine);
    return engine;
  };
  return {
    url,
    admin,
    connect,
    freshName: () => {
      const name = `sallyport_test_${randomBytes(8).toString("hex")}`;
      names.push(name);
      return name;
    },
    storage: async (options) => new MariadbStorage({ knex: (await (shared ??= connect())).knex, ...options }),
    close: async () => {
      await Promise.all(opened.map((engine) => engine.close()));
      for (const name of names)
        await admin.query(`drop database if exists ${name}; drop database if exists ${initialOf(name)}`);
      await admin.end();
    },
  };
}
