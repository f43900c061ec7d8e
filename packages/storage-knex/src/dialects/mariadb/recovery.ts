import type { StorageRecovery } from "@sallyport/storage";
import type { Knex } from "knex";
import { usingUp } from "./archive/fill-database.ts";
import { retried, runnerOf, withConnection } from "./connection.ts";
import { writingStatements } from "./objects/write-lock.ts";
import { tablesOf } from "./tables.ts";

/** How many numbers a recovery skips in each series, as on Postgres. */
const skipped = 2 ** 30;

/** Recovers one database after a restore or a lossy failover, which MariaDB does not tell. Needs the rights of a server. */
export function mariadbRecovery(knex: Knex, database: string): StorageRecovery {
  const tables = tablesOf(database);
  const { audit, channels, objectSeries, objectNumbers, recordVersions, sessions, settings } = tables;
  return {
    look: async () => ({ timeline: "", isPending: false }),
    skip: (mode) =>
      withConnection(knex, async (connection) => {
        const run = retried(runnerOf(connection));
        const one = async (text: string) => Number((await run<{ last: number | null }>(text)).rows[0]?.last ?? 0);
        await run("start transaction");
        try {
          const stamp = await one(`select stamp as last from ${objectSeries} for update`);
          const number = await one(
            `select greatest(number, (select next_not_cached_value from ${objectNumbers})) as last from ${objectSeries}`,
          );
          await run(writingStatements(tables).count(stamp + skipped, number + skipped));
          const version = await one(`select next_not_cached_value as last from ${recordVersions}`);
          await run(`select setval(${recordVersions}, ${version + skipped})`);
          await run(
            `update ${settings} set model_generation = model_generation + ${skipped}, macro_generation = macro_generation + ${skipped}`,
          );
          // The time zone of this connection is that of the stored times.
          await run(`update ${sessions} set expires_at = least(expires_at, now(6)) where ? in (mode, 'all')`, [mode]);
          await run(`update ${channels} set next_out = next_out + ${skipped}`);
          const event = await one(`select max(sequence) as last from ${audit}`);
          for (const text of usingUp(audit, event + skipped)) await run(text);
          await run("commit");
        } catch (error) {
          await run("rollback");
          throw error;
        }
      }),
    accept: async () => true,
  };
}
