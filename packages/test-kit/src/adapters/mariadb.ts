import type { AdapterUnderTest } from "@sallyport/conformance-kit";
import type { Storage } from "@sallyport/storage";
import { createMariadbKnex, MariadbStorage } from "@sallyport/storage-knex";
import { DatabasePool } from "../databases/database-pool.ts";
import { openRealMariadb } from "../databases/mariadb.ts";

const server = await openRealMariadb();
const connect = (connections: number) =>
  createMariadbKnex({
    url: server.url,
    connectTimeout: 5_000,
    statementTimeout: 10_000,
    pool: { max: connections, acquireTimeout: 5_000, maxPendingAcquires: 100 },
  });
const shared = await connect(8);
const databases = new DatabasePool(
  server,
  async (database) => void (await new MariadbStorage({ knex: shared.knex, database }).migrate()),
);

/** The MariaDB at `MARIADB_URL`: a database for each check. */
export default {
  name: "MariadbStorage",
  create: async ({ clockOffset, migrated }) => {
    const database = await databases.acquire({ migrated });
    const storage = new MariadbStorage({ knex: shared.knex, database, clockOffset });
    const others: Storage[] = [];
    const failNext = async (times: number, signal: string): Promise<void> => {
      await server.admin.query(`
        create sequence if not exists ${database}.losses start with -100 minvalue -100 nocache;
        create or replace trigger ${database}.lose before insert on ${database}.records for each row
          if nextval(${database}.losses) <= 0 then signal ${signal}; end if;
        alter sequence ${database}.losses restart with ${1 - times} nocache`);
    };
    return {
      storage,
      another: async () => {
        const { knex, close } = await connect(4);
        const other = new MariadbStorage({ knex, database, clockOffset, onClose: close });
        others.push(other);
        return other;
      },
      loseNext: (times) => failNext(times, "sqlstate '40001' set mysql_errno = 1213"),
      refuseNext: (times) => failNext(times, "sqlstate '45000'"),
      destroy: async () => {
        await Promise.all([storage, ...others].map((each) => each.close()));
        await databases.release(database);
      },
    };
  },
  close: async () => {
    await shared.close();
    await server.close();
  },
} satisfies AdapterUnderTest;
