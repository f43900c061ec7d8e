import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openRealMariadb } from "@sallyport/test-kit/databases/mariadb";
import type { RowDataPacket } from "mysql2";
import type { Logger } from "pino";
import type { RunningServer } from "../src/index.ts";
import { startConfiguredServer, startDemoServer, startSeededServer } from "./demo-server.ts";
import { openPostgresFixture, type PostgresFixture } from "./postgres-fixture.ts";
import { copyEmbeddedDemo } from "./copy-embedded-demo.ts";
import { isFullRun } from "@sallyport/test-kit/scope";

export type Engine = "memory" | "embedded" | "Postgres" | "MariaDB";

type Environment = Readonly<Record<string, string>>;

/** The engines available on this machine. */
export const engines: readonly Engine[] = [
  "Postgres",
  "memory",
  "embedded",
  ...((process.env["MARIADB_URL"] ?? "") === "" ? [] : (["MariaDB"] as const)),
];

/** Those with connections of their own, one of which can keep tables from the others. */
export const engineServers: readonly Engine[] = engines.filter(
  (engine) => engine === "Postgres" || engine === "MariaDB",
);

/**
 * The engines of the suites: all in the full run, else Postgres, because the conformance kit proves the others equal.
 */
export const testedEngines: readonly Engine[] = isFullRun ? engines : ["Postgres"];

/** Servers on the same databases, which have the demo. */
export interface DemoServers {
  readonly servers: readonly RunningServer[];
  readonly postgres: PostgresFixture | null;
  /** Keeps all others from tables of the demo. `null`: the engine has no other connections. */
  readonly lockTables: LockTables | null;
  close(): Promise<void>;
}

type LockTables = (tables: readonly string[]) => Promise<LockedTables>;

export interface LockedTables {
  /** The number of statements that wait for the tables. */
  waiting(): Promise<number>;
  unlock(): Promise<void>;
}

interface DemoOptions {
  readonly environment?: Environment;
  /** Additional content of the configuration file; default: databases are configured by the environment. */
  readonly content?: object;
  /** The number of servers; if the engine allows only one, it fills all positions. */
  readonly count?: number;
  /** The log of the servers, if they have no `content`. */
  readonly logger?: Logger;
}

/** Starts servers with the demo on an engine of this kind. */
export async function startDemoOn(engine: Engine, options: DemoOptions = {}): Promise<DemoServers> {
  const { content, count = 1, logger } = options;
  // The demo has its own keys; the engines on which it is seeded have none.
  const environment = content === undefined ? { ...masterKey, ...options.environment } : (options.environment ?? {});
  const times = <T>(start: () => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: count }, start));
  const all = (server: RunningServer): RunningServer[] => Array.from({ length: count }, () => server);
  const configuredWith = (storage: (schema: string) => object) =>
    startConfiguredServer({ ...content, databases: databasesOn(storage) }, environment);

  if (engine === "memory") {
    const server = await startSeededServer([{ engine }, { engine }], environment, logger, content);
    return { servers: all(server), postgres: null, lockTables: null, close: server.close };
  }
  if (engine === "embedded") {
    if (content === undefined) {
      const server = await startDemoServer(engine, environment, logger);
      return { servers: all(server), postgres: null, lockTables: null, close: server.close };
    }
    const dataDir = mkdtempSync(join(tmpdir(), "sallyport-"));
    await copyEmbeddedDemo(dataDir);
    const server = await configuredWith((schema) => ({ engine, dataDir, schema }));
    const close = async () => {
      await server.close();
      rmSync(dataDir, { recursive: true });
    };
    return { servers: all(server), postgres: null, lockTables: null, close };
  }
  if (engine === "Postgres") {
    const postgres = await openPostgresFixture();
    const servers = await times(() =>
      content === undefined
        ? postgres.demo(environment, logger)
        : postgres.configured(
            { ...content, databases: databasesOn((schema) => ({ url: postgres.url, schema })) },
            environment,
          ),
    );
    const lockTables: LockTables = async (tables) => {
      const names = tables.map((table) => `sallyport_demo.${table}`).join(", ");
      await postgres.sql.query(`begin; lock table ${names} in access exclusive mode`);
      return {
        waiting: async () => {
          const { rows } = await postgres.sql.query(
            "select count(*)::integer as waiting from pg_locks where not granted and database = (select oid from pg_database where datname = current_database())",
          );
          return rows[0].waiting;
        },
        unlock: async () => void (await postgres.sql.query("rollback")),
      };
    };
    return { servers, postgres, lockTables, close: () => postgres.close() };
  }
  const mariadb = await openRealMariadb();
  const names = new Map<string, string>();
  const storage = (schema: string): object => {
    const name = names.get(schema) ?? mariadb.freshName();
    names.set(schema, name);
    return { url: mariadb.url, schema: name, migrateOnStart: true };
  };
  const [one, two] = databasesOn(storage).map((database) => database.storage) as [object, object];
  const servers = [await startSeededServer([one, two], environment, logger, content)];
  while (servers.length < count) servers.push(await configuredWith(storage));
  const close = async () => {
    await Promise.all(servers.map((server) => server.close()));
    await mariadb.close();
  };
  const lockTables: LockTables = async (tables) => {
    const name = names.get("sallyport_demo");
    await mariadb.admin.query(`lock tables ${tables.map((table) => `${name}.${table} write`).join(", ")}`);
    return {
      waiting: async () => {
        const [rows] = await mariadb.admin.query<RowDataPacket[]>(
          "select count(*) as waiting from information_schema.processlist where state = 'Waiting for table metadata lock' and info like ?",
          [`%${name}%`],
        );
        return Number(rows[0]?.["waiting"]);
      },
      unlock: async () => void (await mariadb.admin.query("unlock tables")),
    };
  };
  return { servers, postgres: null, lockTables, close };
}

const masterKey: Environment = { MASTER_KEY: Buffer.alloc(32, 7).toString("base64") };

/** The demo's databases, with the storage for each schema. */
function databasesOn(storage: (schema: string) => object) {
  return [
    { alias: "", name: "demo", storage: storage("sallyport_demo") },
    { alias: "second", name: "second", storage: storage("sallyport_demo_second") },
  ];
}

interface SuiteOptions {
  /** A function is called after earlier resources are open. */
  readonly environment?: Environment | (() => Environment);
  readonly content?: () => object;
  readonly count?: number;
  readonly logger?: Logger;
}

export interface DemoOfSuite {
  readonly server: () => RunningServer;
  readonly servers: () => readonly RunningServer[];
  readonly postgres: () => PostgresFixture;
  readonly lockTables: () => LockTables | null;
}

/** Gives the current suite servers with the demo on this engine. */
export function useDemo(
  engine: Engine,
  { environment = {}, content, count = 1, logger }: SuiteOptions = {},
): DemoOfSuite {
  let demo: DemoServers;
  beforeAll(async () => {
    const variables = typeof environment === "function" ? environment() : environment;
    const more = { ...(content && { content: content() }), ...(logger && { logger }) };
    demo = await startDemoOn(engine, { environment: variables, count, ...more });
  }, 60_000);
  afterAll(() => demo.close());
  return {
    server: () => demo.servers[0] as RunningServer,
    servers: () => demo.servers,
    postgres: () => demo.postgres as PostgresFixture,
    lockTables: () => demo.lockTables,
  };
}

/** Defines a suite for each engine, with its own servers. */
export function onEngines(
  name: string,
  suite: (server: () => RunningServer, demo: DemoOfSuite) => void,
  { on = testedEngines, ...options }: SuiteOptions & { readonly on?: readonly Engine[] } = {},
): void {
  for (const engine of on)
    describe(`${name} on ${engine}`, () => {
      const demo = useDemo(engine, options);
      suite(demo.server, demo);
    });
}

/** For suites with intended failures: failures of one test must not lock out the next. */
export const withoutLockout: Environment = { THROTTLE_IP_MAX_FAILURES: "1000" };
