import {
  type Attempt,
  type AttributeIndex,
  type BatchRepositories,
  builtInClasses,
  type ClassDefinition,
  type IndexReport,
  type MigrationReport,
  type Repositories,
  ServiceError,
  type Storage,
  type StorageArchive,
  type StorageCapabilities,
} from "@sallyport/storage";
import type { Knex } from "knex";
import { OpenCalls } from "./query-runner.ts";
import type { SessionRenewals } from "./sql-admission-repository.ts";
import type { SqlRunner } from "./sql-runner.ts";

export interface SqlStorageOptions {
  /** Several storages can share it. */
  readonly knex: Knex;
  /** Milliseconds by which the storage's clock is ahead of the server's; tests use it to advance time. */
  readonly clockOffset?: () => number;
  /** Runs once after closing and the last call; ends the connections if the storage owns them. */
  readonly onClose?: () => Promise<void>;
}

/** Facts about a database server for operators, as one connection of the storage sees them. */
export interface ServerFacts {
  readonly version: string;
  /** Whether writes are refused: a standby, or a read-only setting. */
  readonly isReadOnly: boolean;
  /** Privileges that a server needs and its role lacks, in the words of the database server. */
  readonly missingPrivileges: readonly string[];
  /** Statements that grant them, without a semicolon. */
  readonly grants: readonly string[];
  /** Whether the role can migrate and build indexes. A server can work without it. */
  readonly canChangeSchema: boolean;
  /** Connections that the role can have at most. */
  readonly maxConnections: number;
  /** Milliseconds after which the server ends a statement of this connection; 0: never. */
  readonly statementTimeout: number;
  /** Those of a Postgres, after a check. */
  readonly replicas?: readonly ReplicaState[];
  /**
   * Whether servers can prove that a failover has lost nothing. `unclear`: commits wait for some of the standbys;
   * `unreadable`: the role cannot read the history of timelines; `null`: commits wait for no standby.
   */
  readonly failoverProof: "possible" | "unclear" | "unreadable" | null;
  /** Open transactions that keep changes from devices. On MariaDB a writer keeps the others waiting. */
  readonly openWriters?: readonly OpenWriter[];
  /** Further settings of connections that are not in force, such as `jit = off`. A pooler can drop them. */
  readonly missingSettings: readonly string[];
  /** Probes the server as `migrate` does, and changes nothing. Returns the reasons why it is unsuitable. */
  readonly unmetRequirements: () => Promise<readonly string[]>;
}

/** An open transaction that has written objects: later changes reach no device before it ends. */
export interface OpenWriter {
  /** Its name while it is open. */
  readonly transaction: string;
  /** The process of its session; `null` if it is prepared. */
  readonly pid: number | null;
  readonly role: string;
  readonly application: string;
  /** The name of a prepared transaction. */
  readonly prepared: string | null;
  /** Milliseconds since its beginning; `null` if the role may not see it. */
  readonly age: number | null;
}

/** A standby that takes reads, or that could. */
export interface ReplicaState {
  /** Host and port. */
  readonly name: string;
  /** Why the replica is left out, as a sentence; `null` if it takes reads. */
  readonly fault: string | null;
  /** Milliseconds for which it has lacked a state of the primary, as accurate as the interval of its checks. */
  readonly lag: number;
}

/** Makes each repository over a runner. */
type RepositoryMakers = { readonly [Area in keyof Repositories]: (sql: SqlRunner) => Repositories[Area] };

/** The repositories over a runner that have been used. */
interface MadeOnUse {
  readonly made: Record<string, unknown>;
  readonly sql: SqlRunner;
}

/** Repositories over a runner. Each is made on its first use, because a transaction uses few of them. */
export function madeOnUse(makers: RepositoryMakers): (sql: SqlRunner) => Repositories {
  const areas = {};
  for (const [area, make] of Object.entries(makers)) {
    const get = function (this: MadeOnUse): unknown {
      return (this.made[area] ??= make(this.sql));
    };
    Object.defineProperty(areas, area, { get, enumerable: true });
  }
  return (sql) => {
    const own: MadeOnUse = { made: {}, sql };
    return Object.assign(Object.create(areas) as Repositories, own);
  };
}

/** The common base of SQL storages. */
export abstract class SqlStorage implements Storage {
  abstract readonly capabilities: StorageCapabilities;
  abstract readonly repositories: Repositories;
  abstract readonly archive: StorageArchive;
  protected abstract readonly sql: {
    atomically<T>(work: (sql: SqlRunner, attempt: Attempt) => Promise<T>): Promise<T>;
    batch<T>(work: (sql: SqlRunner) => Promise<T>): Promise<T>;
  };
  protected abstract readonly indexes: {
    align(declared: readonly AttributeIndex[]): Promise<IndexReport | "busy">;
    stop(): void;
  };
  protected abstract readonly renewals: SessionRenewals;
  protected readonly knex: Knex;
  protected readonly offset: () => number;
  protected readonly calls = new OpenCalls();
  /** Runs before the first call, so that a database of another version is refused before any access. */
  protected readonly ready = (): Promise<void> | undefined => (this.migrated ? undefined : this.check());
  private readonly onClose: () => Promise<void>;
  private migrated = false;
  private writing: Promise<void> | undefined;
  private closed: Promise<void> | undefined;

  constructor({ knex, clockOffset, onClose }: SqlStorageOptions) {
    this.knex = knex;
    this.offset = clockOffset ?? (() => 0);
    this.onClose = onClose ?? (async () => {});
  }

  abstract readyIndexes(indexes: readonly AttributeIndex[]): Promise<AttributeIndex[]>;

  /** The repositories over a runner: that of the storage, or that of a transaction. */
  protected abstract readonly repositoriesOver: (sql: SqlRunner) => Repositories;

  protected abstract applyMigrations(classes: readonly ClassDefinition[]): Promise<MigrationReport>;

  /** Whether all migrations are applied. Throws 705 for an unsuitable database, or a newer one without `allowNewer`. */
  protected abstract isMigrated(options: { readonly allowNewer: boolean }): Promise<boolean>;

  /** Fails like a write, and changes nothing. */
  protected abstract writeNothing(): Promise<void>;

  protected abstract readClock(): Promise<number>;

  transaction<T>(work: (r: Repositories, attempt: Attempt) => Promise<T>): Promise<T> {
    return this.sql.atomically((sql, attempt) => work(this.repositoriesOver(sql), attempt));
  }

  batch<T>(work: (r: BatchRepositories) => Promise<T>): Promise<T> {
    // An error that the work throws at once is a rejection, too.
    return this.sql.batch(async (sql) => work(this.repositoriesOver(sql)));
  }

  migrate(classes: readonly ClassDefinition[] = builtInClasses): Promise<MigrationReport> {
    return this.calls.during(() => this.applyMigrations(classes));
  }

  alignIndexes(declared: readonly AttributeIndex[]): Promise<IndexReport | "busy"> {
    return this.calls.during(async () => {
      await this.ready();
      return this.indexes.align(declared);
    });
  }

  async health(): Promise<void> {
    await this.calls.during(() => this.check());
    // A commit that waits for a lost standby must not be followed by others.
    this.writing ??= this.calls
      .during(() => this.writeNothing())
      .finally(() => {
        this.writing = undefined;
      });
    await this.writing;
  }

  now(): Promise<number> {
    return this.calls.during(() => this.readClock());
  }

  close(): Promise<void> {
    this.indexes.stop();
    // The renewals are open calls already when the storage refuses new ones.
    this.closed ??= Promise.all([this.renewals.flush(), this.calls.close()]).then(this.onClose);
    return this.closed;
  }

  private async check(): Promise<void> {
    // In a rolling upgrade, `migrate` of the next version runs while servers of this version still run.
    if (!(await this.isMigrated({ allowNewer: this.migrated })))
      throw new ServiceError(705, { detail: "The database is not migrated to this version." });
    this.migrated = true;
  }
}
