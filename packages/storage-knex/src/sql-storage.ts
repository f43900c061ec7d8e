import {
  type Attempt,
  type AttributeIndex,
  builtInClasses,
  type ClassDefinition,
  type IndexReport,
  type BatchRepositories,
  type MigrationReport,
  type Repositories,
  ServiceError,
  type Storage,
  type StorageArchive,
  type StorageCapabilities,
} from "@sallyport/core";
import type { Knex } from "knex";
import { OpenCalls } from "./open-calls.ts";
import type { SqlRunner } from "./sql-runner.ts";

export interface SqlStorageOptions {
  /** May be shared by several storages. */
  readonly knex: Knex;
  /** Milliseconds by which the storage's clock is ahead of the server's; lets tests pass time. */
  readonly clockOffset?: () => number;
  /** Runs once when the storage is closed and its last call has ended; ends the connections, if that is whose they are. */
  readonly onClose?: () => Promise<void>;
}

/** What the storages of all SQL dialects have in common. */
export abstract class SqlStorage implements Storage {
  abstract readonly capabilities: StorageCapabilities;
  abstract readonly repositories: Repositories;
  abstract readonly archive: StorageArchive;
  protected abstract readonly sql: {
    atomically<T>(work: (sql: SqlRunner, attempt: Attempt) => Promise<T>): Promise<T>;
    together<T>(work: (sql: SqlRunner) => Promise<T>): Promise<T>;
  };
  protected abstract readonly indexes: {
    align(wanted: readonly AttributeIndex[]): Promise<IndexReport | "busy">;
    stop(): void;
  };
  protected readonly knex: Knex;
  protected readonly offset: () => number;
  protected readonly calls = new OpenCalls();
  /** Asked before the first call, so that a database of another version is refused before it is touched. */
  protected readonly ready = (): Promise<void> | undefined => (this.migrated ? undefined : this.check());
  private readonly onClose: () => Promise<void>;
  private migrated = false;
  private closed: Promise<void> | undefined;

  constructor({ knex, clockOffset, onClose }: SqlStorageOptions) {
    this.knex = knex;
    this.offset = clockOffset ?? (() => 0);
    this.onClose = onClose ?? (async () => {});
  }

  abstract readyIndexes(indexes: readonly AttributeIndex[]): Promise<AttributeIndex[]>;

  /** The repositories over one runner: that of the storage, or that of a transaction. */
  protected abstract repositoriesOver(sql: SqlRunner): Repositories;

  protected abstract applyMigrations(classes: readonly ClassDefinition[]): Promise<MigrationReport>;

  /** Whether no migration is left to apply; 705 if the database is not what the code expects, or is newer and may not be. */
  protected abstract isMigrated(options: { readonly allowNewer: boolean }): Promise<boolean>;

  protected abstract readClock(): Promise<number>;

  transaction<T>(work: (r: Repositories, attempt: Attempt) => Promise<T>): Promise<T> {
    return this.sql.atomically((sql, attempt) => work(this.repositoriesOver(sql), attempt));
  }

  batch<T>(work: (r: BatchRepositories) => Promise<T>): Promise<T> {
    return this.sql.together((sql) => work(this.repositoriesOver(sql)));
  }

  migrate(classes: readonly ClassDefinition[] = builtInClasses): Promise<MigrationReport> {
    return this.calls.during(() => this.applyMigrations(classes));
  }

  alignIndexes(wanted: readonly AttributeIndex[]): Promise<IndexReport | "busy"> {
    return this.calls.during(async () => {
      await this.ready();
      return this.indexes.align(wanted);
    });
  }

  health(): Promise<void> {
    return this.calls.during(() => this.check());
  }

  now(): Promise<number> {
    return this.calls.during(() => this.readClock());
  }

  close(): Promise<void> {
    this.indexes.stop();
    this.closed ??= this.calls.close().then(this.onClose);
    return this.closed;
  }

  private async check(): Promise<void> {
    // In a rolling upgrade, `migrate` of the next version runs while servers of this one still serve.
    if (!(await this.isMigrated({ allowNewer: this.migrated })))
      throw new ServiceError(705, { detail: "The database is not migrated to this version." });
    this.migrated = true;
  }
}
