import {
  type AttributeIndex,
  type ClassDefinition,
  type MigrationReport,
  type Repositories,
  ServiceError,
  type StorageCapabilities,
} from "@sallyport/storage";
import { sqlAccountRepository } from "../../sql-account-repository.ts";
import { sqlAdmissionRepository, SessionRenewals } from "../../sql-admission-repository.ts";
import { sqlAppKeyRepository } from "../../sql-app-key-repository.ts";
import { sqlAuditRepository } from "../../sql-audit-repository.ts";
import { type ChangeRow, sqlChanges } from "../../sql-changes.ts";
import { sqlChannelRepository } from "../../sql-channel-repository.ts";
import { postgresDeletionRepository } from "./postgres-deletion-repository.ts";
import { sqlModelRepository } from "../../sql-model-repository.ts";
import { postgresObjectRepository } from "./postgres-object-repository.ts";
import { sqlRecordRepository } from "../../sql-record-repository.ts";
import { sqlSessionRepository } from "../../sql-session-repository.ts";
import { sqlSettingsRepository } from "../../sql-settings-repository.ts";
import { sqlThrottleRepository } from "../../sql-throttle-repository.ts";
import { objectOf } from "../../object-row.ts";
import { connectionsOf } from "../../pooled-connections.ts";
import { type Numbered, pendingMigrations, refuseUnsuitable } from "../../schema.ts";
import { withSettings } from "../../sql-errors.ts";
import type { SqlRunner } from "../../sql-runner.ts";
import { madeOnUse, SqlStorage, type SqlStorageOptions } from "../../sql-storage.ts";
import { PostgresArchive } from "./archive/postgres-archive.ts";
import { type Run, runOn, withConnection } from "./connection.ts";
import { IndexBuilder } from "./index-builder.ts";
import { valueIndex } from "./index-expression.ts";
import { migrations } from "./migrations/migrations.ts";
import { Migrator } from "./migrator.ts";
import { FormerPlace, type MoveNotice } from "./move-notice.ts";
import { PooledRunner } from "./runners.ts";
import { postgresLockRepository } from "./postgres-lock-repository.ts";
import type { PostgresReplicas } from "./replicas.ts";
import { unmetBy } from "./server-facts.ts";
import { raiseStamps, stampsAreAhead } from "./stamps.ts";
import { epochMilliseconds, storageTime } from "./expressions.ts";
import { type Statements, statementsOf } from "./statements/statements.ts";
import { type Tables, tablesOf } from "./tables.ts";
import { TimelineGuard, type TimelineOptions } from "./timeline.ts";

const postgresCapabilities: Omit<StorageCapabilities, "connections"> = {
  durable: true,
  severalProcesses: true,
  parallelTransactions: true,
  valueIndexes: true,
  indexesPerTable: null,
};

export interface KnexStorageOptions extends SqlStorageOptions {
  /** The schema of the storage: at most 63 lowercase letters, digits and underscores. */
  readonly schema: string;
  /** Overrides of the capabilities. Default: those of a Postgres server. */
  readonly capabilities?: Partial<StorageCapabilities>;
  /** How the names of schemas begin that have all tables and no content. A new storage takes one over. Default: none. */
  readonly preparedSchemas?: string;
  /** Standbys that take lists. Several storages can share them. Default: none. */
  readonly replicas?: PostgresReplicas;
  /** Comparison of the timelines of the server. Default: none. */
  readonly timelines?: TimelineOptions;
  /** Called at most once a second while calls fail because the database was moved. */
  readonly onMove?: (notice: MoveNotice) => void;
}

/** One database in one schema of Postgres. */
export class KnexStorage extends SqlStorage {
  readonly capabilities: StorageCapabilities;
  readonly repositories: Repositories;
  readonly archive: PostgresArchive;
  protected readonly sql: PooledRunner;
  protected readonly repositoriesOver: (sql: SqlRunner) => Repositories;
  protected readonly indexes: IndexBuilder;
  protected readonly renewals: SessionRenewals;
  private readonly tables: Tables;
  private readonly statements: Statements;
  private readonly guard: TimelineGuard | undefined;
  private readonly formerPlace: FormerPlace;
  private readonly preparedSchemas: string | undefined;

  constructor({ schema, capabilities, preparedSchemas, replicas, timelines, onMove, ...options }: KnexStorageOptions) {
    super(options);
    this.preparedSchemas = preparedSchemas;
    const { calls, knex, ready } = this;
    this.tables = tablesOf(schema);
    this.statements = statementsOf(this.tables, { position: replicas !== undefined });
    this.capabilities = { ...postgresCapabilities, connections: connectionsOf(knex), ...capabilities };
    this.indexes = new IndexBuilder(knex, this.tables, this.capabilities.severalProcesses);
    this.guard = timelines && new TimelineGuard(knex, this.tables, calls, timelines);
    this.formerPlace = new FormerPlace(knex, this.tables, onMove);
    this.sql = new PooledRunner(knex, schema, calls, ready, { guard: this.guard, formerPlace: this.formerPlace });
    this.archive = new PostgresArchive(knex, this.tables, calls, ready);
    this.renewals = new SessionRenewals(this.sql, () => this.statements.admission, this.offset);
    const { offset, statements, tables } = this;
    const positionOf = replicas && ((position: string | null) => replicas.position(position));
    this.repositoriesOver = madeOnUse({
      admission: (sql) =>
        sqlAdmissionRepository(sql, statements.admission, offset, sql === this.sql ? this.renewals : null, positionOf),
      accounts: (sql) => sqlAccountRepository(sql, statements.accounts, objectOf, offset),
      appKeys: (sql) => sqlAppKeyRepository(sql, statements.appKeys),
      audit: (sql) => sqlAuditRepository(sql, statements.audit, offset),
      channels: (sql) => sqlChannelRepository(sql, statements.channels, statements.cipherBlocks, offset),
      deletion: (sql) => postgresDeletionRepository(sql, statements.tombstones, offset),
      locks: (sql) => postgresLockRepository(sql, statements.locks, offset),
      model: (sql) =>
        sqlModelRepository(sql, statements.model, {
          lock: (transaction) => transaction.run(statements.lockModel),
          replacing: "on conflict (name) do update set definition = excluded.definition",
        }),
      objects: (sql) => ({
        ...postgresObjectRepository(sql, statements.objects, tables, offset),
        ...sqlChanges(sql, {
          watermark: statements.changes.watermark,
          read: async (runner, { classes, after, upTo, limit }) =>
            (await runner.run<ChangeRow>(statements.changes.read(limit), [classes, ...after, upTo])).rows,
        }),
      }),
      records: (sql) => sqlRecordRepository(sql, statements.records, offset),
      sessions: (sql) =>
        sqlSessionRepository(
          sql,
          statements.sessions,
          offset,
          async (runner, limit) => (await runner.run(statements.locks.sweep, [limit, offset()])).rowCount,
        ),
      settings: (sql) => sqlSettingsRepository(sql, statements.settings),
      throttle: (sql) => sqlThrottleRepository(sql, statements.throttle, offset),
    });
    this.repositories = this.repositoriesOver(this.sql);
  }

  async readyIndexes(indexes: readonly AttributeIndex[]): Promise<AttributeIndex[]> {
    const { rows } = await this.sql.run<{ name: string }>(this.statements.indexes.ready);
    const ready = new Set(rows.map(({ name }) => name));
    return indexes.filter((index) => ready.has(valueIndex(this.tables, index).name));
  }

  override close(): Promise<void> {
    this.guard?.stop();
    return super.close();
  }

  /** A temporary file is where the tables are, and is larger than a page that happens to be free. */
  protected async writeNothing(): Promise<void> {
    const text = `set local work_mem = '64kB';
      with nothing as (update ${this.tables.settings} set maintenance = maintenance where false)
      select count(*) from generate_series(1, 20000)`;
    await withConnection(this.knex, async (connection) => {
      await runOn(connection, { text });
      withSettings((await runOn(connection, { text: `select from ${this.tables.settings}` })).rows);
    });
    await this.commitNothing();
  }

  /** A commit without a change to a table. It waits for a synchronous standby, as others do. */
  private async commitNothing(): Promise<void> {
    if (this.guard !== undefined) return this.guard.commitNothing();
    const query = { text: "select pg_logical_emit_message(true, 'sallyport', '')" };
    await withConnection(this.knex, (connection) => runOn(connection, query));
  }

  protected async applyMigrations(classes: readonly ClassDefinition[]): Promise<MigrationReport> {
    await this.formerPlace.refuse();
    // The engine of one process is the one that the conformance kit runs on.
    if (this.capabilities.severalProcesses) refuseUnsuitable(await unmetBy(this.knex, this.tables));
    const finish = (run: Run) => raiseStamps(run, this.tables);
    return new Migrator(this.knex, this.tables, migrations, {
      classes,
      finish,
      preparedSchemas: this.preparedSchemas,
    }).migrate();
  }

  protected async isMigrated(options: { readonly allowNewer: boolean }): Promise<boolean> {
    try {
      return await this.isUsable(options);
    } catch (error) {
      throw await this.formerPlace.explained(error);
    }
  }

  private isUsable(options: { readonly allowNewer: boolean }): Promise<boolean> {
    const isolation = "current_setting('default_transaction_isolation')";
    const query = { text: `select name, number, ${isolation} as isolation from ${this.tables.migrations}` };
    return withConnection(this.knex, async (connection) => {
      const { rows } = await runOn<Required<Numbered> & { readonly isolation: string }>(connection, query);
      // A pooler can drop the setting of the connection.
      if (rows.some((row) => row.isolation !== "read committed"))
        throw new ServiceError(705, { detail: "The role must have default_transaction_isolation = 'read committed'." });
      if (pendingMigrations(migrations, rows, options).length > 0) return false;
      if (await stampsAreAhead((each) => runOn(connection, each), this.tables))
        throw new ServiceError(705, { detail: "The database was copied from another server and must be migrated." });
      await this.guard?.admit(connection);
      return true;
    });
  }

  protected async readClock(): Promise<number> {
    const query = { text: `select ${epochMilliseconds(storageTime(1))} as now`, values: [this.offset()] };
    const { rows } = await withConnection(this.knex, (connection) => runOn<{ now: string }>(connection, query));
    return Number(rows[0]?.now);
  }
}
