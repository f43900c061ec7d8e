import {
  type ArchiveChunk,
  type ArchiveRecord,
  archiveSections,
  inconsistentRecords,
  type RecordOf,
  ServiceError,
  type StorageArchive,
} from "@sallyport/storage";
import type { Knex } from "knex";
import { emptinessText, settingsOf, type SettingsRow, tablesToFill } from "../../../archived-records.ts";
import { auditDetails } from "../../../sql-audit-repository.ts";
import type { OpenCalls } from "../../../query-runner.ts";
import { acquire, release, rollBack, type Run, runnerOf, withConnection } from "../connection.ts";
import type { Tables } from "../tables.ts";
import {
  type ArchivedTables,
  archivedClasses,
  archivedFormerReaders,
  archivedLinks,
  archivedObjects,
  archivedTombstones,
  plainTable,
} from "./archived-tables.ts";
import { auditSequence, fillDatabase } from "./fill-database.ts";
import { readLines } from "./read-lines.ts";

/** Disables time-outs, because the peer can be slow. */
const waitTimeout = "set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0";

export class PostgresArchive implements StorageArchive {
  private made: ArchivedTables | undefined;
  /** In addition to the advisory lock, which does not exclude callers that share one session. */
  private importing = false;

  constructor(
    private readonly knex: Knex,
    private readonly tables: Tables,
    private readonly calls: OpenCalls,
    /** Awaited first. Rejects while the database does not match the code. */
    private readonly ready: () => Promise<void> | undefined,
  ) {}

  private get sections(): ArchivedTables {
    return (this.made ??= archivedTablesOf(this.tables));
  }

  async *export(): AsyncGenerator<ArchiveChunk> {
    this.calls.begin();
    try {
      await this.ready();
      const connection = await acquire(this.knex);
      const run = runnerOf(connection);
      try {
        await run({ text: "begin isolation level repeatable read read only" });
        await run({ text: waitTimeout });
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
        const refusal = await this.importRefusal(run);
        if (refusal === null) {
          await run({ text: waitTimeout });
          await fillDatabase(run, this.tables, this.sections, records);
        }
        await run({ text: refusal === null ? "commit" : "rollback" });
        return refusal ?? "imported";
      } catch (error) {
        await rollBack(connection);
        throw isConstraintViolation(error) ? inconsistentRecords(error) : error;
      }
    });
  }

  /** Locks the whole database. Returns the reason why an import is impossible, or null. */
  private async importRefusal(run: Run): Promise<"notEmpty" | "busy" | null> {
    const { classes, records, schema, settings } = this.tables;
    const { rows } = await run<{ locked: boolean }>({
      text: "select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as locked",
      values: [`sallyport:${schema}:archive`],
    });
    if (rows[0]?.locked !== true) return "busy";
    await run({
      text: `lock table ${[...tablesToFill(this.tables), records, classes, settings].join(", ")} in share row exclusive mode`,
    });
    const result = await run<{ empty: boolean }>({ text: emptinessText(this.tables, "'infinity'") });
    return result.rows[0]?.empty === true ? null : "notEmpty";
  }
}

/** A constraint violation or invalid data (SQLSTATE class 22 or 23). */
function isConstraintViolation(error: unknown): boolean {
  if (!(error instanceof ServiceError) || error.code === 801) return false;
  const state: unknown = (error.cause as { code?: unknown } | undefined)?.code;
  return typeof state === "string" && /^2[23]/.test(state);
}

function archivedTablesOf(tables: Tables): ArchivedTables {
  const { accounts, appKeys, audit, auditTallies, customAccounts, records, recordVersions } = tables;
  return {
    classes: archivedClasses(tables),
    appKeys: plainTable("appKeys", {
      table: appKeys,
      key: { column: "name", type: "text" },
      size: "octet_length(origins::text) + octet_length(return_addresses::text)",
    }),
    objects: archivedObjects(tables),
    links: archivedLinks(tables),
    tombstones: archivedTombstones(tables),
    formerReaders: archivedFormerReaders(tables),
    sweptObjects: plainTable("sweptObjects", { table: tables.sweptObjects, key: { column: "oid", type: "bigint" } }),
    accounts: plainTable("accounts", { table: accounts, key: { column: "user_id", type: "bigint" } }),
    customAccounts: plainTable("customAccounts", {
      table: customAccounts,
      key: { column: "login_name", type: "text" },
    }),
    records: plainTable("records", {
      table: records,
      // The two-column key as one column in the same order: kinds contain only letters.
      rows: `(select *, (kind || ' ' || id) collate "C" as place from ${records} where expires_at = 'infinity')`,
      key: { column: "place", type: "text", isExpression: true },
      size: "(200 + octet_length(value::text))",
      additionalColumns: { version: "sequence.version", born: "sequence.version", expires_at: "'infinity'" },
      join: `, lateral (select nextval('${recordVersions}') as version where l.id is not null) sequence`,
    }),
    audit: plainTable("audit", { table: audit, key: { column: "sequence", type: "bigint" } }),
    tallies: plainTable("tallies", {
      table: auditTallies,
      // Tallies of several shards are exported as one record and imported as one row. Selecting the first row of each
      // key in order would sort all rows for every range.
      rows: `(select t.key, ${auditDetails}, same.at, t.since, same.attempts
        from ${auditTallies} t, lateral (select max(at) as at, sum(attempts) as attempts from ${auditTallies} o where o.key = t.key) same
        where t.shard = (select shard from ${auditTallies} o where o.key = t.key order by since, shard limit 1))`,
      key: { column: "key", type: "text" },
      additionalColumns: { shard: "0" },
    }),
  };
}

/** The settings and the last issued numbers, never less than those in the tables of the same snapshot. */
async function readSettings(run: Run, tables: Tables): Promise<RecordOf<"settings">> {
  const { rows } = await run<SettingsRow>({
    text: `select maintenance, model_generation as generation, macro_generation, swept_stamp, (select count(*) from ${tables.objects}) as objects,
      coalesce(pg_sequence_last_value('${tables.objectIds}'), 0) as last_object,
      coalesce(pg_sequence_last_value(${auditSequence(tables)}), 0) as last_audit
    from ${tables.settings}`,
  });
  return settingsOf((rows as [SettingsRow])[0]);
}
