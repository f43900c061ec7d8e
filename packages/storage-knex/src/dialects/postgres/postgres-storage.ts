import {
  type AttributeIndex,
  type ClassDefinition,
  type MigrationReport,
  type Repositories,
  ServiceError,
  type StorageCapabilities,
} from "@sallyport/core";
import { KnexAccountRepository } from "../../knex-account-repository.ts";
import { KnexAdmissionRepository } from "../../knex-admission-repository.ts";
import { KnexAppKeyRepository } from "../../knex-app-key-repository.ts";
import { KnexAuditRepository } from "../../knex-audit-repository.ts";
import { KnexChangeRepository } from "../../knex-change-repository.ts";
import { KnexChannelRepository } from "../../knex-channel-repository.ts";
import { KnexDepartureRepository } from "../../knex-departure-repository.ts";
import { KnexModelRepository } from "../../knex-model-repository.ts";
import { KnexObjectRepository } from "../../knex-object-repository.ts";
import { KnexRecordRepository } from "../../knex-record-repository.ts";
import { KnexSessionRepository } from "../../knex-session-repository.ts";
import { KnexSettingsRepository } from "../../knex-settings-repository.ts";
import { KnexThrottleRepository } from "../../knex-throttle-repository.ts";
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
import { PostgresLockRepository } from "./postgres-lock-repository.ts";
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
  /** Everything is kept in this schema: at most 63 lowercase letters, digits and underscores. */
  readonly schema: string;
  /** What the engine behind Knex cannot do; a Postgres server can do all. */
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
      admission: new KnexAdmissionRepository(sql, statements.admission, offset),
      accounts: new KnexAccountRepository(sql, statements.accounts, objectOf, offset),
      appKeys: new KnexAppKeyRepository(sql, statements.appKeys),
      audit: new KnexAuditRepository(sql, statements.audit, offset),
      changes: new KnexChangeRepository(sql, statements.changes),
      channels: new KnexChannelRepository(sql, statements.channels, statements.cipherBlocks, offset),
      departures: new KnexDepartureRepository(sql, statements.departures, offset),
      locks: new PostgresLockRepository(sql, statements.locks, offset),
      model: new KnexModelRepository(sql, statements.model, {
        hold: (transaction) => transaction.run(statements.holdModel),
        replacing: "on conflict (name) do update set definition = excluded.definition",
      }),
      objects: new KnexObjectRepository(sql, statements.objects, tables, offset),
      records: new KnexRecordRepository(sql, statements.records, offset),
      sessions: new KnexSessionRepository(sql, statements.sessions, statements.channels, offset),
      settings: new KnexSettingsRepository(sql, statements.settings),
      throttle: new KnexThrottleRepository(sql, statements.throttle, offset),
    };
  }

  protected applyMigrations(classes: readonly ClassDefinition[]): Promise<MigrationReport> {
    const finish = (run: Run) => raiseStamps(run, this.tables);
    return new Migrator(this.knex, this.tables, migrations, { classes, finish }).migrate();
  }

  protected isMigrated(): Promise<boolean> {
    const query = { text: `select name, number from ${this.tables.migrations}` };
    return withConnection(this.knex, async (connection) => {
      const { rows } = await runOn<Required<Numbered>>(connection, query);
      if (pendingMigrations(migrations, rows).length > 0) return false;
      if (await stampsAreAhead((each) => runOn(connection, each), this.tables))
        throw new ServiceError(705, { detail: "The database comes from another server and has to be migrated here." });
      return true;
    });
  }

  protected async readClock(): Promise<number> {
    const query = { text: `select ${epochMilliseconds(storageTime(1))} as now`, values: [this.offset()] };
    const { rows } = await withConnection(this.knex, (connection) => runOn<{ now: string }>(connection, query));
    return Number(rows[0]?.now);
  }
}
