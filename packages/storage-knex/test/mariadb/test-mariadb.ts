import { openRealMariadb, type RealMariadb } from "@sallyport/test-kit/databases/mariadb";
import {
  createMariadbKnex,
  type MariadbKnex,
  type MariadbSettings,
  MariadbStorage,
  type MariadbStorageOptions,
} from "../../src/index.ts";

/** A MariaDB server with the resources that tests open on it. */
export interface TestMariadb extends RealMariadb {
  connect(
    settings?: Partial<Omit<MariadbSettings, "pool">> & { pool?: Partial<MariadbSettings["pool"]> },
  ): Promise<MariadbKnex>;
  storage(options: Partial<MariadbStorageOptions> & { readonly database: string }): Promise<MariadbStorage>;
}

export async function openTestMariadb(): Promise<TestMariadb> {
  const server = await openRealMariadb();
  const opened: MariadbKnex[] = [];
  let shared: Promise<MariadbKnex> | undefined;

  const connect: TestMariadb["connect"] = async ({ pool, ...settings } = {}) => {
    const engine = await createMariadbKnex({
      url: server.url,
      connectTimeout: 5_000,
      statementTimeout: 10_000,
      ...settings,
      pool: { max: 8, acquireTimeout: 5_000, maxPendingAcquires: 100, ...pool },
    });
    opened.push(engine);
    return engine;
  };
  return {
    ...server,
    connect,
    storage: async (options) => new MariadbStorage({ knex: (await (shared ??= connect())).knex, ...options }),
    close: async () => {
      await Promise.all(opened.map((engine) => engine.close()));
      await server.close();
    },
  };
}
