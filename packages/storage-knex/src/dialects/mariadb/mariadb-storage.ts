import {
  type Attempt,
  type AttributeIndex,
  builtInClasses,
  type ClassDefinition,
  type IndexReport,
  type JointRepositories,
  type MigrationReport,
  type Repositories,
  ServiceError,
  type Storage,
  type StorageCapabilities,
} from "@sallyport/core";
import type { Knex } from "knex";
import { OpenCalls } from "../../open-calls.ts";
import { type Numbered, pendingMigrations } from "../../pending-migrations.ts";
import { MariadbArchive } from "./archive/mariadb-archive.ts";
import { positionalQuery, runOn, withConnection } from "./connection.ts";
import { IndexBuilder, mostValueIndexes } from "./index-builder.ts";
import { mariadbRepositories } from "./mariadb-repositories.ts";
import { migrations } from "./migrations/migrations.ts";
import { Migrator } from "./migrations/migrator.ts";
import type { ObjectContext } from "./objects/writers-turn.ts";
import { PooledRunner } from "./pooled-runner.ts";
import { epochMilliseconds, storageTime } from "./statements/storage-time.ts";
import { type Statements, statementsOf } from "./statements/statements.ts";
import { type Tables, tablesOf } from "./tables.ts";
import { indexKey, ValueColumns } from "./value-columns.ts";

export interface MariadbStorageOptions {
  /** May be shared by several storages. */
  readonly knex: Knex;
  /** Everything is kept in this database of the server: at most 63 lowercase letters, digits and underscores. */
  readonly database: string;
  /** Milliseconds by which the storage's clock is ahead of the server's; lets tests pass time. */
  readonly clockOffset?: () => number;
  /** Runs once when the storage is closed and its last call has ended; ends the connections, if that is whose they are. */
  readonly onClose?: () => Promise<void>;
}

/** One database of a MariaDB server. */
export class MariadbStorage implements Storage {
  readonly capabilities: StorageCapabilities = {
    durable: true,
    severalProcesses: true,
    parallelTransactions: true,
    valueIndexes: true,
    indexesPerTable: mostValueIndexes,
  };
  readonly archive: MariadbArchive;
  readonly repositories: Repositories;
  private readonly knex: Knex;
  private readonly tables: Tables;
  private readonly statements: Statements;
  private readonly offset: () => number;
  private readonly onClose: () => Promise<void>;
  private readonly calls = new OpenCalls();
  private readonly sql: PooledRunner;
  private readonly context: ObjectContext;
  private readonly indexes: IndexBuilder;
  private migrated = false;
  private closed: Promise<void> | undefined;

  constructor({ knex, database, clockOffset, onClose }: MariadbStorageOptions) {
    this.knex = knex;
    this.tables = tablesOf(database);
    this.statements = statementsOf(this.tables);
    this.offset = clockOffset ?? (() => 0);
    this.onClose = onClose ?? (async () => {});
    const ready = () => (this.migrated ? undefined : this.assertMigrated());
    this.sql = new PooledRunner(knex, database, this.calls, ready);
    this.archive = new MariadbArchive(knex, this.tables, this.calls, ready);
    const columns = new ValueColumns(this.tables);
    this.indexes = new IndexBuilder(knex, this.tables, columns);
    this.context = { tables: this.tables, statements: this.statements.writing, columns, offset: this.offset };
    this.repositories = mariadbRepositories(this.sql, this.statements, this.context);
  }

  transaction<T>(work: (r: Repositories, attempt: Attempt) => Promise<T>): Promise<T> {
    return this.sql.atomically((sql, attempt) =>
      work(mariadbRepositories(sql, this.statements, this.context), attempt),
    );
  }

  together<T>(work: (r: JointRepositories) => Promise<T>): Promise<T> {
    return this.sql.together((sql) => work(mariadbRepositories(sql, this.statements, this.context)));
  }

  migrate(classes: readonly ClassDefinition[] = builtInClasses): Promise<MigrationReport> {
    return this.calls.during(() => new Migrator(this.knex, this.tables, migrations, classes).migrate());
  }

  alignIndexes(wanted: readonly AttributeIndex[]): Promise<IndexReport | "busy"> {
    return this.calls.during(async () => {
      if (!this.migrated) await this.assertMigrated();
      return this.indexes.align(wanted);
    });
  }

  async readyIndexes(indexes: readonly AttributeIndex[]): Promise<AttributeIndex[]> {
    const ready = await this.context.columns.read(this.sql);
    return indexes.filter((index) => ready.has(indexKey(index)));
  }

  health(): Promise<void> {
    return this.calls.during(() => this.assertMigrated());
  }

  now(): Promise<number> {
    return this.calls.during(async () => {
      const query = positionalQuery(`select ${epochMilliseconds(storageTime(1))} as now`, [this.offset()]);
      const { rows } = await withConnection(this.knex, (connection) => runOn<{ now: number }>(connection, query));
      return Number(rows[0]?.now);
    });
  }

  close(): Promise<void> {
    this.indexes.stop();
    this.closed ??= this.calls.close().then(this.onClose);
    return this.closed;
  }

  /** Asked before the first call, so that a database of another version is refused before it is touched. */
  private async assertMigrated(): Promise<void> {
    const query = { sql: `select name, number from ${this.tables.migrations}`, values: [] };
    const { rows } = await withConnection(this.knex, (connection) => runOn<Required<Numbered>>(connection, query));
    const pending = pendingMigrations(migrations, rows);
    if (pending.length > 0) throw new ServiceError(705, { detail: "The database is not migrated to this version." });
    this.migrated = true;
  }
}
