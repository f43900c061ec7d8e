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
import { PostgresArchive } from "./dialects/postgres/archive/postgres-archive.ts";
import { runOn, withConnection } from "./dialects/postgres/connection.ts";
import { IndexBuilder } from "./dialects/postgres/index-builder.ts";
import { type Numbered, pendingMigrations } from "./pending-migrations.ts";
import { migrations } from "./dialects/postgres/migrations/migrations.ts";
import { Migrator, type Run } from "./dialects/postgres/migrations/migrator.ts";
import { raiseStamps, stampsAreAhead } from "./dialects/postgres/stamps.ts";
import { PooledRunner } from "./dialects/postgres/pooled-runner.ts";
import { epochMilliseconds, storageTime } from "./dialects/postgres/statements/expressions.ts";
import { type Statements, statementsOf } from "./dialects/postgres/statements/statements.ts";
import { type Tables, tablesOf } from "./dialects/postgres/tables.ts";
import { valueIndex } from "./dialects/postgres/index-expression.ts";
import { knexRepositories } from "./knex-repositories.ts";
import { OpenCalls } from "./open-calls.ts";

const postgresCapabilities: StorageCapabilities = {
  durable: true,
  severalProcesses: true,
  parallelTransactions: true,
  valueIndexes: true,
  indexesPerTable: null,
};

export interface KnexStorageOptions {
  /** May be shared by several storages. */
  readonly knex: Knex;
  /** Everything is kept in this schema: at most 63 lowercase letters, digits and underscores. */
  readonly schema: string;
  /** Milliseconds by which the storage's clock is ahead of the server's; lets tests pass time. */
  readonly clockOffset?: () => number;
  /** Runs once when the storage is closed and its last call has ended; ends the connections, if that is whose they are. */
  readonly onClose?: () => Promise<void>;
  /** What the engine behind Knex cannot do; a Postgres server can do all. */
  readonly capabilities?: Partial<StorageCapabilities>;
}

/** One database in one schema of Postgres. */
export class KnexStorage implements Storage {
  readonly capabilities: StorageCapabilities;
  readonly repositories: Repositories;
  readonly archive: PostgresArchive;
  private readonly knex: Knex;
  private readonly tables: Tables;
  private readonly statements: Statements;
  private readonly offset: () => number;
  private readonly onClose: () => Promise<void>;
  private readonly calls = new OpenCalls();
  private readonly sql: PooledRunner;
  private readonly indexes: IndexBuilder;
  private migrated = false;
  private closed: Promise<void> | undefined;

  constructor({ knex, schema, clockOffset, onClose, capabilities }: KnexStorageOptions) {
    this.knex = knex;
    this.tables = tablesOf(schema);
    this.statements = statementsOf(this.tables);
    this.offset = clockOffset ?? (() => 0);
    this.onClose = onClose ?? (async () => {});
    this.capabilities = { ...postgresCapabilities, ...capabilities };
    this.indexes = new IndexBuilder(knex, this.tables, this.capabilities.severalProcesses);
    const ready = () => (this.migrated ? undefined : this.assertMigrated());
    this.sql = new PooledRunner(knex, schema, this.calls, ready);
    this.archive = new PostgresArchive(knex, this.tables, this.calls, ready);
    this.repositories = knexRepositories(this.sql, this.statements, this.tables, this.offset);
  }

  transaction<T>(work: (r: Repositories, attempt: Attempt) => Promise<T>): Promise<T> {
    return this.sql.atomically((sql, attempt) =>
      work(knexRepositories(sql, this.statements, this.tables, this.offset), attempt),
    );
  }

  together<T>(work: (r: JointRepositories) => Promise<T>): Promise<T> {
    return this.sql.together((sql) => work(knexRepositories(sql, this.statements, this.tables, this.offset)));
  }

  migrate(classes: readonly ClassDefinition[] = builtInClasses): Promise<MigrationReport> {
    const finish = (run: Run) => raiseStamps(run, this.tables);
    return this.calls.during(() => new Migrator(this.knex, this.tables, migrations, { classes, finish }).migrate());
  }

  alignIndexes(wanted: readonly AttributeIndex[]): Promise<IndexReport | "busy"> {
    return this.calls.during(async () => {
      if (!this.migrated) await this.assertMigrated();
      return this.indexes.align(wanted);
    });
  }

  async readyIndexes(indexes: readonly AttributeIndex[]): Promise<AttributeIndex[]> {
    const { rows } = await this.sql.run<{ name: string }>(this.statements.indexes.ready, []);
    const ready = new Set(rows.map(({ name }) => name));
    return indexes.filter((index) => ready.has(valueIndex(this.tables, index).name));
  }

  health(): Promise<void> {
    return this.calls.during(() => this.assertMigrated());
  }

  now(): Promise<number> {
    return this.calls.during(async () => {
      const query = { text: `select ${epochMilliseconds(storageTime(1))} as now`, values: [this.offset()] };
      const { rows } = await withConnection(this.knex, (connection) => runOn<{ now: string }>(connection, query));
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
    const query = { text: `select name, number from ${this.tables.migrations}` };
    await withConnection(this.knex, async (connection) => {
      const { rows } = await runOn<Required<Numbered>>(connection, query);
      const pending = pendingMigrations(migrations, rows);
      if (pending.length > 0) throw new ServiceError(705, { detail: "The database is not migrated to this version." });
      const restored = await stampsAreAhead((each) => runOn(connection, each), this.tables);
      if (restored)
        throw new ServiceError(705, { detail: "The database comes from another server and has to be migrated here." });
    });
    this.migrated = true;
  }
}
