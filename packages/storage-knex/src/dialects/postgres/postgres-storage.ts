import {
  type AttributeIndex,
  type ClassDefinition,
  type MigrationReport,
  type Repositories,
  ServiceError,
  type StorageCapabilities,
} from "@sallyport/core";
import { knexAccountRepository } from "../../knex-account-repository.ts";
import { knexAdmissionRepository } from "../../knex-admission-repository.ts";
import { knexAppKeyRepository } from "../../knex-app-key-repository.ts";
import { knexAuditRepository } from "../../knex-audit-repository.ts";
import { type ChangeRow, knexChangeRepository } from "../../knex-change-repository.ts";
import { knexChannelRepository } from "../../knex-channel-repository.ts";
import { knexDeletionRepository } from "../../knex-deletion-repository.ts";
import { knexModelRepository } from "../../knex-model-repository.ts";
import { knexObjectRepository } from "../../knex-object-repository.ts";
import { knexRecordRepository } from "../../knex-record-repository.ts";
import { knexSessionRepository } from "../../knex-session-repository.ts";
import { knexSettingsRepository } from "../../knex-settings-repository.ts";
import { knexThrottleRepository } from "../../knex-throttle-repository.ts";
import { objectOf } from "../../object-row.ts";
import { type Numbered, pendingMigrations } from "../../schema.ts";
import type { SqlRunner } from "../../sql-runner.ts";
import { SqlStorage, type SqlStorageOptions } from "../../sql-storage.ts";
import { PostgresArchive } from "./archive/postgres-archive.ts";
import { type Run, runOn, withConnection } from "./connection.ts";
import { IndexBuilder } from "./index-builder.ts";
import { valueIndex } from "./index-expression.ts";
import { migrations } from "./migrations/migrations.ts";
import { Migrator } from "./migrations/migrator.ts";
import { PooledRunner } from "./pooled-runner.ts";
import { postgresLockRepository } from "./postgres-lock-repository.ts";
import { raiseStamps, stampsAreAhead } from "./stamps.ts";
import { epochMilliseconds, storageTime } from "./statements/expressions.ts";
import { type Statements, statementsOf } from "./statements/statements.ts";
import { type Tables, tablesOf } from "./tables.ts";

const postgresCapabilities: StorageCapabilities = {
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
}

/** One database in one schema of Postgres. */
export class KnexStorage extends SqlStorage {
  readonly capabilities: StorageCapabilities;
  readonly repositories: Repositories;
  readonly archive: PostgresArchive;
  protected readonly sql: PooledRunner;
  protected readonly indexes: IndexBuilder;
  private readonly tables: Tables;
  private readonly statements: Statements;

  constructor({ schema, capabilities, ...options }: KnexStorageOptions) {
    super(options);
    const { calls, knex, ready } = this;
    this.tables = tablesOf(schema);
    this.statements = statementsOf(this.tables);
    this.capabilities = { ...postgresCapabilities, ...capabilities };
    this.indexes = new IndexBuilder(knex, this.tables, this.capabilities.severalProcesses);
    this.sql = new PooledRunner(knex, schema, calls, ready);
    this.archive = new PostgresArchive(knex, this.tables, calls, ready);
    this.repositories = this.repositoriesOver(this.sql);
  }

  async readyIndexes(indexes: readonly AttributeIndex[]): Promise<AttributeIndex[]> {
    const { rows } = await this.sql.run<{ name: string }>(this.statements.indexes.ready);
    const ready = new Set(rows.map(({ name }) => name));
    return indexes.filter((index) => ready.has(valueIndex(this.tables, index).name));
  }

  protected repositoriesOver(sql: SqlRunner): Repositories {
    const { offset, statements, tables } = this;
    return {
      admission: knexAdmissionRepository(sql, statements.admission, offset),
      accounts: knexAccountRepository(sql, statements.accounts, objectOf, offset),
      appKeys: knexAppKeyRepository(sql, statements.appKeys),
      audit: knexAuditRepository(sql, statements.audit, offset),
      changes: knexChangeRepository(sql, {
        watermark: statements.changes.watermark,
        read: async (runner, { classes, after, upTo, limit }) =>
          (await runner.run<ChangeRow>(statements.changes.read(limit), [classes, ...after, upTo])).rows,
      }),
      channels: knexChannelRepository(sql, statements.channels, statements.cipherBlocks, offset),
      deletion: knexDeletionRepository(sql, statements.tombstones, offset),
      locks: postgresLockRepository(sql, statements.locks, offset),
      model: knexModelRepository(sql, statements.model, {
        lock: (transaction) => transaction.run(statements.lockModel),
        replacing: "on conflict (name) do update set definition = excluded.definition",
      }),
      objects: knexObjectRepository(sql, statements.objects, tables, offset),
      records: knexRecordRepository(sql, statements.records, offset),
      sessions: knexSessionRepository(sql, statements.sessions, statements.channels, offset),
      settings: knexSettingsRepository(sql, statements.settings),
      throttle: knexThrottleRepository(sql, statements.throttle, offset),
    };
  }

  protected applyMigrations(classes: readonly ClassDefinition[]): Promise<MigrationReport> {
    const finish = (run: Run) => raiseStamps(run, this.tables);
    return new Migrator(this.knex, this.tables, migrations, { classes, finish }).migrate();
  }

  protected isMigrated(options: { readonly allowNewer: boolean }): Promise<boolean> {
    const query = { text: `select name, number from ${this.tables.migrations}` };
    return withConnection(this.knex, async (connection) => {
      const { rows } = await runOn<Required<Numbered>>(connection, query);
      if (pendingMigrations(migrations, rows, options).length > 0) return false;
      if (await stampsAreAhead((each) => runOn(connection, each), this.tables))
        throw new ServiceError(705, { detail: "The database was copied from another server and must be migrated." });
      return true;
    });
  }

  protected async readClock(): Promise<number> {
    const query = { text: `select ${epochMilliseconds(storageTime(1))} as now`, values: [this.offset()] };
    const { rows } = await withConnection(this.knex, (connection) => runOn<{ now: string }>(connection, query));
    return Number(rows[0]?.now);
  }
}
