import type { Storage } from "@sallyport/storage";
import type { RowDataPacket } from "mysql2";
import { KnexStorage, MariadbStorage } from "../../src/index.ts";
import type { PooledConnectionSettings } from "../../src/pooled-connections.ts";
import { openTestMariadb } from "../mariadb/test-mariadb.ts";
import { openTestDatabase, startTimeout } from "../test-database.ts";

/** A migrated database on an engine, with the storages that tests open on it. */
export interface EngineDatabase {
  /** The address of the server. With the schema, another process opens the database. */
  readonly url: string;
  /** The schema; on MariaDB the database. */
  readonly schema: string;
  /** Opens a storage over the connections that all tests of the file share. */
  storage(options?: { readonly clockOffset?: () => number }): Promise<Storage>;
  /** Opens a storage over connections of its own. */
  connect(
    settings: Partial<Omit<PooledConnectionSettings, "pool">> & { readonly pool?: { readonly max: number } },
  ): Promise<Storage>;
  rows(text: string): Promise<unknown[]>;
  /** The connections that the server accepts. */
  mostConnections(): Promise<number>;
  close(): Promise<void>;
}

const openings: Readonly<Record<string, () => Promise<EngineDatabase>>> = {
  Postgres: async () => {
    const database = await openTestDatabase({ migrated: true });
    const { url, admin, connect, storage, drop } = database;
    const rows = async (text: string) => (await admin.query(text)).rows;
    return {
      url,
      schema: "test",
      storage: async (options) => storage(options),
      connect: async (settings) => new KnexStorage({ knex: connect(settings).knex, schema: "test" }),
      rows,
      mostConnections: async () =>
        (await rows("select current_setting('max_connections')::integer as most"))[0].most as number,
      close: drop,
    };
  },
  MariaDB: async () => {
    const server = await openTestMariadb();
    const database = server.freshName();
    await (await server.storage({ database })).migrate();
    const rows = async (text: string) => (await server.admin.query<RowDataPacket[]>(text))[0];
    return {
      url: server.url,
      schema: database,
      storage: (options) => server.storage({ database, ...options }),
      connect: async (settings) => new MariadbStorage({ knex: (await server.connect(settings)).knex, database }),
      rows,
      mostConnections: async () => Number((await rows("select @@max_connections as most"))[0]?.["most"]),
      close: () => server.close(),
    };
  },
};

const engines = (process.env["MARIADB_URL"] ?? "") === "" ? ["Postgres"] : ["Postgres", "MariaDB"];

/** Defines the tests for each engine that has a server, with a database of its own. */
export function onEngines(name: string, define: (database: () => EngineDatabase) => void): void {
  describe.each(engines)(`${name} on %s`, (engine) => {
    let database: EngineDatabase;
    beforeAll(async () => {
      database = await (openings[engine] as () => Promise<EngineDatabase>)();
    }, startTimeout);
    afterAll(() => database.close());
    define(() => database);
  });
}
