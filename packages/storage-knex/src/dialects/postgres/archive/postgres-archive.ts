import {
  type ArchivePart,
  type ArchiveRecord,
  archiveSections,
  contradictingRecords,
  ServiceError,
  type StorageArchive,
} from "@sallyport/core";
import type { Knex } from "knex";
import type { OpenCalls } from "../../../open-calls.ts";
import { acquire, type Connection, type Query, release, runOn, withConnection } from "../connection.ts";
import type { Run } from "../migrations/migrator.ts";
import type { Tables } from "../tables.ts";
import { readSettings } from "./archived-settings.ts";
import { type ArchivedTables, archivedTablesOf } from "./archived-tables.ts";
import { fillDatabase } from "./fill-database.ts";
import { readLines } from "./read-lines.ts";

/** Whoever is at the other end may take his time. */
const patience = "set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0";

export class PostgresArchive implements StorageArchive {
  private readonly sections: ArchivedTables;
  /** Beside the lock of the database: where there is one session, nobody else gets to ask for it. */
  private importing = false;

  constructor(
    private readonly knex: Knex,
    private readonly tables: Tables,
    private readonly calls: OpenCalls,
    /** Awaited first; refuses while the database is not what the code expects. */
    private readonly ready: () => Promise<void> | undefined,
  ) {
    this.sections = archivedTablesOf(tables);
  }

  async *export(): AsyncGenerator<ArchivePart> {
    this.calls.begin();
    try {
      await this.ready();
      const connection = await acquire(this.knex);
      const run = runnerOf(connection);
      try {
        await run({ text: "begin isolation level repeatable read read only" });
        await run({ text: patience });
        yield [await readSettings(run, this.tables)];
        for (const section of archiveSections) {
          if (section === "settings") continue;
          const { recordOf } = this.sections[section];
          for await (const lines of readLines(run, this.sections[section])) yield lines.map((line) => recordOf(line));
        }
      } finally {
        await rollBack(connection);
        release(this.knex, connection);
      }
    } finally {
      this.calls.end();
    }
  }

  import(records: AsyncIterable<ArchiveRecord>): Promise<"imported" | "notEmpty" | "busy"> {
    return this.calls.during(async () => {
      await this.ready();
      if (this.importing) return "busy";
      this.importing = true;
      try {
        return await this.importAlone(records);
      } finally {
        this.importing = false;
      }
    });
  }

  private importAlone(records: AsyncIterable<ArchiveRecord>): Promise<"imported" | "notEmpty" | "busy"> {
    return withConnection(this.knex, async (connection) => {
      const run = runnerOf(connection);
      await run({ text: "begin isolation level read committed" });
      try {
        const hindrance = await this.hindrance(run);
        if (hindrance === null) {
          await run({ text: patience });
          await fillDatabase(run, this.tables, this.sections, records);
        }
        await run({ text: hindrance === null ? "commit" : "rollback" });
        return hindrance ?? "imported";
      } catch (error) {
        await rollBack(connection);
        throw isContradiction(error) ? contradictingRecords(error) : error;
      }
    });
  }

  /** Takes hold of the whole database, unless something is in the way. */
  private async hindrance(run: Run): Promise<"notEmpty" | "busy" | null> {
    const {
      schema,
      accounts,
      appKeys,
      audit,
      auditTallies,
      classes,
      customAccounts,
      departures,
      links,
      objects,
      records,
      settings,
    } = this.tables;
    const { rows } = await run<{ locked: boolean }>({
      text: "select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as locked",
      values: [`sallyport:${schema}:archive`],
    });
    if (rows[0]?.locked !== true) return "busy";
    const contents = [accounts, appKeys, audit, auditTallies, customAccounts, departures, links, objects];
    await run({
      text: `lock table ${[...contents, records, classes, settings].join(", ")} in share row exclusive mode`,
    });
    const kept = `${records} where expires_at = 'infinity'`;
    const nothing = [...contents, kept].map((source) => `not exists (select from ${source})`).join(" and ");
    const found = await run<{ empty: boolean }>({
      text: `select model_generation = 1 and ${nothing} as empty from ${settings}`,
    });
    return found.rows[0]?.empty === true ? null : "notEmpty";
  }
}

function runnerOf(connection: Connection): Run {
  return <Row>(query: Query) => runOn<Row>(connection, { ...query, unhurried: true });
}

/** A connection that cannot even do this is not used again. */
async function rollBack(connection: Connection): Promise<void> {
  await runOn(connection, { text: "rollback" }).catch((reason: unknown) => {
    connection.__knex__disposed = reason;
  });
}

/** A constraint is broken, or a value cannot be what it is said to be. */
function isContradiction(error: unknown): boolean {
  if (!(error instanceof ServiceError) || error.code === 801) return false;
  const state: unknown = (error.cause as { code?: unknown } | undefined)?.code;
  return typeof state === "string" && /^2[23]/.test(state);
}
