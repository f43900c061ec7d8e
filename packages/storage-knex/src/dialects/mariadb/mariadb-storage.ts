import type {
  AttributeIndex,
  ClassDefinition,
  MigrationReport,
  Repositories,
  StorageCapabilities,
} from "@sallyport/storage";
import { sqlAccountRepository } from "../../sql-account-repository.ts";
import { sqlAdmissionRepository, SessionRenewals } from "../../sql-admission-repository.ts";
import { sqlAppKeyRepository } from "../../sql-app-key-repository.ts";
import { sqlAuditRepository } from "../../sql-audit-repository.ts";
import { sqlChanges } from "../../sql-changes.ts";
import { sqlChannelRepository } from "../../sql-channel-repository.ts";
import { sqlModelRepository } from "../../sql-model-repository.ts";
import { sqlRecordRepository } from "../../sql-record-repository.ts";
import { sqlSessionRepository } from "../../sql-session-repository.ts";
import { sqlSettingsRepository } from "../../sql-settings-repository.ts";
import { sqlThrottleRepository } from "../../sql-throttle-repository.ts";
import { type Numbered, pendingMigrations } from "../../schema.ts";
import { connectionsOf } from "../../pooled-connections.ts";
import { withSettings } from "../../sql-errors.ts";
import type { SqlRunner } from "../../sql-runner.ts";
import { madeOnUse, SqlStorage, type SqlStorageOptions } from "../../sql-storage.ts";
import { MariadbArchive } from "./archive/mariadb-archive.ts";
import { positionalQuery, runOn, withConnection } from "./connection.ts";
import { IndexBuilder, maxValueIndexes } from "./index-builder.ts";
import { migrations } from "./migrations/migrations.ts";
import { Migrator } from "./migrator.ts";
import { readChanges } from "./objects/object-reads.ts";
import { mariadbDeletionRepository } from "./objects/mariadb-deletion-repository.ts";
import { mariadbLockRepository, sweepLocks } from "./objects/mariadb-lock-repository.ts";
import { mariadbObjectRepository } from "./objects/mariadb-object-repository.ts";
import { parsedObjectOf } from "./object-row.ts";
import { type ObjectContext, stampOf, WriteLock } from "./objects/write-lock.ts";
import { type Statements, statementsOf } from "./statements/statements.ts";
import { epochMilliseconds, storageTime } from "./expressions.ts";
import { type Tables, tablesOf } from "./tables.ts";
import { PooledRunner } from "./runners.ts";
import { indexKey, listedIndexes, ValueColumns } from "./value-columns.ts";

export interface MariadbStorageOptions extends SqlStorageOptions {
  /** The database on the server: at most 63 lowercase letters, digits and underscores. */
  readonly database: string;
}

export class MariadbStorage extends SqlStorage {
  readonly capabilities: StorageCapabilities;
  readonly archive: MariadbArchive;
  readonly repositories: Repositories;
  protected readonly sql: PooledRunner;
  protected readonly repositoriesOver: (sql: SqlRunner) => Repositories;
  protected readonly indexes: IndexBuilder;
  protected readonly renewals: SessionRenewals;
  private readonly tables: Tables;
  private readonly statements: Statements;
  private readonly context: ObjectContext;

  constructor({ database, ...options }: MariadbStorageOptions) {
    super(options);
    const { calls, knex, offset, ready } = this;
    this.capabilities = {
      durable: true,
      severalProcesses: true,
      parallelTransactions: true,
      valueIndexes: true,
      indexesPerTable: maxValueIndexes,
      connections: connectionsOf(knex),
    };
    this.tables = tablesOf(database);
    this.statements = statementsOf(this.tables);
    this.sql = new PooledRunner(knex, database, calls, ready);
    this.archive = new MariadbArchive(knex, this.tables, calls, ready);
    const columns = new ValueColumns(this.tables);
    this.indexes = new IndexBuilder(knex, this.tables, columns);
    this.context = { tables: this.tables, statements: this.statements.writing, columns, offset };
    this.renewals = new SessionRenewals(this.sql, () => this.statements.admission, this.offset);
    const { context, statements } = this;
    this.repositoriesOver = madeOnUse({
      admission: (sql) =>
        sqlAdmissionRepository(sql, statements.admission, offset, sql === this.sql ? this.renewals : null),
      accounts: (sql) => sqlAccountRepository(sql, statements.accounts, parsedObjectOf, offset),
      appKeys: (sql) => sqlAppKeyRepository(sql, statements.appKeys),
      audit: (sql) => sqlAuditRepository(sql, statements.audit, offset),
      channels: (sql) => sqlChannelRepository(sql, statements.channels, statements.cipherBlocks, offset),
      deletion: (sql) => mariadbDeletionRepository(sql, context),
      locks: (sql) => mariadbLockRepository(sql, statements.locks, context),
      model: (sql) =>
        sqlModelRepository(sql, statements.model, {
          lock: (withWriteLock) => WriteLock.take(withWriteLock, context),
          replacing: "on duplicate key update definition = values(definition)",
        }),
      objects: (sql) => ({
        ...mariadbObjectRepository(sql, context),
        ...sqlChanges(sql, {
          watermark: statements.watermark,
          ownStamp: stampOf,
          read: (runner, query) => readChanges(runner, context.tables, query),
        }),
      }),
      records: (sql) => sqlRecordRepository(sql, statements.records, offset),
      sessions: (sql) =>
        sqlSessionRepository(sql, statements.sessions, offset, (runner, limit) =>
          sweepLocks(runner, limit, statements.locks, context),
        ),
      settings: (sql) => sqlSettingsRepository(sql, statements.settings),
      throttle: (sql) => sqlThrottleRepository(sql, statements.throttle, offset),
    });
    this.repositories = this.repositoriesOver(this.sql);
  }

  async readyIndexes(indexes: readonly AttributeIndex[]): Promise<AttributeIndex[]> {
    const { rows } = await this.sql.runOnce<AttributeIndex>(listedIndexes(this.tables));
    const ready = new Set(rows.map(indexKey));
    return indexes.filter((index) => ready.has(indexKey(index)));
  }

  protected applyMigrations(classes: readonly ClassDefinition[]): Promise<MigrationReport> {
    return new Migrator(this.knex, this.tables, migrations, classes).migrate();
  }

  protected async isMigrated(options: { readonly allowNewer: boolean }): Promise<boolean> {
    const query = { sql: `select name, number from ${this.tables.migrations}`, values: [] };
    const { rows } = await withConnection(this.knex, (connection) => runOn<Required<Numbered>>(connection, query));
    return pendingMigrations(migrations, rows, options).length === 0;
  }

  /**
   * InnoDB can end the whole server if a disk is full while it rolls back, so the probe writes to none of its tables. The
   * temporary table has an index, because its pages are written when the statement ends, and others may stay in memory.
   */
  protected async writeNothing(): Promise<void> {
    const { settings } = this.tables;
    await withConnection(this.knex, async (connection) => {
      const run = (sql: string) => runOn(connection, { sql, values: [], plain: true });
      await run(`update ${settings} set maintenance = maintenance where false`);
      const { rows } = await run(`set statement tmp_memory_table_size = 0 for
        select length(filler) from (select distinct repeat(singleton, 300000) as filler from ${settings}) fillers`);
      withSettings(rows);
    });
  }

  protected async readClock(): Promise<number> {
    const query = positionalQuery(`select ${epochMilliseconds(storageTime(1))} as now`, [this.offset()]);
    const { rows } = await withConnection(this.knex, (connection) => runOn<{ now: number }>(connection, query));
    return Number(rows[0]?.now);
  }
}
