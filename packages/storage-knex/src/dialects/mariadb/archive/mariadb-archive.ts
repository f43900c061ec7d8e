import {
  type ArchiveChunk,
  type ArchiveRecord,
  archiveSections,
  inChunks,
  inconsistentRecords,
  type RecordOf,
  ServiceError,
  type StorageArchive,
} from "@sallyport/storage";
import type { Knex } from "knex";
import { emptinessText, settingsOf, type SettingsRow } from "../../../archived-records.ts";
import type { OpenCalls } from "../../../query-runner.ts";
import type { SqlRunner } from "../../../sql-runner.ts";
import { acquire, type Connection, dismiss, release, type Run, runnerOf, streamOn } from "../connection.ts";
import { Lease } from "../leases.ts";
import { isDuplicate } from "../mariadb-error.ts";
import { noExpiry } from "../expressions.ts";
import type { Tables } from "../tables.ts";
import { TransactionRunner } from "../runners.ts";
import {
  archivedClasses,
  archivedFormerReaders,
  archivedTombstones,
  archivedLinks,
  archivedObjects,
  type ArchivedTables,
  plainTable,
} from "./archived-tables.ts";
import { fillDatabase, unnumbered } from "./fill-database.ts";

/** Disables time-outs, because the peer can be slow. Seconds; 0 means no limit. */
const waitTimeout = "set max_statement_time = 0, idle_transaction_timeout = 0, net_write_timeout = 31536000";

/** The time of `never`. */
const endOfTime = "9999-12-31 23:59:59";

export class MariadbArchive implements StorageArchive {
  private readonly sections: ArchivedTables;

  constructor(
    private readonly knex: Knex,
    private readonly tables: Tables,
    private readonly calls: OpenCalls,
    /** Awaited first. Rejects while the database does not match the code. */
    private readonly ready: () => Promise<void> | undefined,
  ) {
    this.sections = archivedTablesOf(tables);
  }

  async *export(): AsyncGenerator<ArchiveChunk> {
    this.calls.begin();
    try {
      await this.ready();
      const connection = await acquire(this.knex);
      try {
        yield* inChunks(this.read(connection));
      } finally {
        // Unread rows would reach the next user of the connection.
        dismiss(connection, "The export has ended.");
        release(this.knex, connection);
      }
    } finally {
      this.calls.end();
    }
  }

  import(records: AsyncIterable<ArchiveRecord>): Promise<"imported" | "notEmpty" | "busy"> {
    return this.calls.during(async () => {
      await this.ready();
      const connection = await acquire(this.knex);
      const lease = new Lease(this.knex, this.tables, "archive");
      try {
        return await this.fill(connection, lease, records);
      } catch (error) {
        throw error instanceof ServiceError && isDuplicate(error.cause) ? inconsistentRecords(error) : error;
      } finally {
        dismiss(connection, "The import has ended.");
        release(this.knex, connection);
        await lease.end();
      }
    });
  }

  private async *read(connection: Connection): AsyncGenerator<ArchiveRecord> {
    const run = runnerOf(connection);
    await run(waitTimeout);
    await run("set transaction isolation level repeatable read");
    await run("start transaction read only");
    yield await readSettings(run, this.tables, this.sections);
    for (const section of archiveSections) {
      if (section === "settings") continue;
      const { select, recordOf } = this.sections[section];
      for await (const row of streamOn(connection, select)) yield recordOf(row);
    }
  }

  private async fill(
    connection: Connection,
    lease: Lease,
    records: AsyncIterable<ArchiveRecord>,
  ): Promise<"imported" | "notEmpty" | "busy"> {
    const run = runnerOf(connection);
    await run(waitTimeout);
    if (!(await lease.take(run))) return "busy";
    // Filling a database has no time limit.
    delete connection.answers;
    return new TransactionRunner(connection, this.knex, this.tables.database).complete(async (sql) => {
      if (!(await this.lockEmptyDatabase(sql))) return "notEmpty";
      await fillDatabase(sql, this.tables, this.sections, records);
      return "imported";
    });
  }

  /**
   * Locks the rows that object writers and model changes lock first, and checks that the database is empty. A
   * concurrent use of an imported name waits for the import or fails as a duplicate.
   */
  private async lockEmptyDatabase(sql: SqlRunner): Promise<boolean> {
    const { objectSeries, settings } = this.tables;
    await sql.runOnce(`select 1 from ${objectSeries} for update`);
    await sql.runOnce(`select 1 from ${settings} for update`);
    const { rows } = await sql.runOnce<{ empty: boolean }>(emptinessText(this.tables, noExpiry));
    return rows[0]?.empty === true;
  }
}

function archivedTablesOf(tables: Tables): ArchivedTables {
  return {
    classes: archivedClasses(tables),
    appKeys: plainTable("appKeys", { table: tables.appKeys, order: "name" }),
    objects: archivedObjects(tables),
    links: archivedLinks(tables),
    tombstones: archivedTombstones(tables),
    formerReaders: archivedFormerReaders(tables),
    sweptObjects: plainTable("sweptObjects", { table: tables.sweptObjects, order: "oid" }),
    accounts: plainTable("accounts", { table: tables.accounts, order: "user_id" }),
    customAccounts: plainTable("customAccounts", { table: tables.customAccounts, order: "login_name" }),
    records: plainTable("records", {
      table: tables.records,
      order: "kind, id",
      where: `expires_at = ${noExpiry}`,
      additionalColumns: { expires_at: endOfTime, version: unnumbered, born: unnumbered },
    }),
    audit: plainTable("audit", { table: tables.audit, order: "sequence" }),
    tallies: plainTable("tallies", { table: tables.auditTallies, order: "`key`" }),
  };
}

/**
 * The settings and the last issued numbers, never less than those in the tables of the same snapshot. The statement
 * names all tables, so that no schema change can happen before they are read.
 */
async function readSettings(
  run: Run,
  { audit, objects, objectSeries, settings }: Tables,
  sections: ArchivedTables,
): Promise<RecordOf<"settings">> {
  const touched = Object.values(sections).map(({ table }) => `(select 1 from ${table} limit 1)`);
  const { rows } = await run<SettingsRow>(
    `select maintenance, model_generation as generation, macro_generation, swept_stamp, (select count(*) from ${objects}) as objects, (select number from ${objectSeries}) as last_object,
      greatest(last_audit, coalesce((select max(sequence) from ${audit}), 0)) as last_audit,
      concat(${touched.join(", ")}) as touched
    from ${settings}`,
  );
  return settingsOf((rows as [SettingsRow])[0]);
}
