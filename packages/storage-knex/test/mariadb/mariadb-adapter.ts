import type { AdapterUnderTest } from "@sallyport/conformance-kit";
import type { Storage } from "@sallyport/core";
import { DatabasePool } from "./database-pool.ts";
import type { TestMariadb } from "./test-mariadb.ts";

/** MariaDB as the conformance kit takes it, with a database of its own for each check. */
export function mariadbAdapter(server: TestMariadb) {
  const databases = new DatabasePool(
    server,
    async (database) => void (await (await server.storage({ database })).migrate()),
  );
  return {
    name: "MariadbStorage",
    create: async ({ clockOffset, migrated }) => {
      const database = await databases.acquire({ migrated });
      const storage = await server.storage({ database, clockOffset });
      const others: Storage[] = [];
      return {
        storage,
        another: async () => {
          const { knex, close } = await server.connect({ pool: { max: 4 } });
          const other = await server.storage({ database, clockOffset, knex, onClose: close });
          others.push(other);
          return other;
        },
        loseNext: async (times) => {
          await server.admin.query(`
            create sequence if not exists ${database}.losses start with -100 minvalue -100 nocache;
            create or replace trigger ${database}.lose before insert on ${database}.records for each row
              if nextval(${database}.losses) <= 0 then signal sqlstate '40001' set mysql_errno = 1213; end if;
            alter sequence ${database}.losses restart with ${1 - times}`);
        },
        destroy: async () => {
          await Promise.all([storage, ...others].map((each) => each.close()));
          await databases.release(database);
        },
      };
    },
  } satisfies AdapterUnderTest;
}
