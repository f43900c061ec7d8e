import { type Attempt, type ReadOptions, ServiceError } from "@sallyport/storage";
import type { Knex } from "knex";
import type { PooledConnection } from "./pooled-connections.ts";
import {
  endsTransaction,
  type NestedPart,
  type SqlReader,
  type SqlResult,
  type SqlRunner,
  type SqlValue,
  pauseAfter,
  usualAttempts,
  type Statement,
} from "./sql-runner.ts";

/** How a dialect builds and sends queries. */
export interface SqlDialect<Query, Connection> {
  /** The query of a prepared statement. */
  prepared(statement: Statement, values: readonly SqlValue[]): Query;
  /** The query of a text composed for one call. */
  composed(text: string, values: readonly SqlValue[]): Query;
  /** The query of Knex's query builder. */
  built(sql: string, values: readonly unknown[]): Query;
  readonly begin: Query;
  readonly commit: Query;
  readonly rollback: Query;
  /** The queries around a nested transaction at this depth: at its start, and after its success or failure. */
  savepoint(depth: number): {
    readonly begin: Query;
    readonly release: readonly Query[];
    readonly undo: readonly Query[];
  };
  runOn<Row>(connection: Connection, query: Query): Promise<SqlResult<Row>>;
  /** Whether a retry can succeed. */
  isConflict(error: unknown): boolean;
  /** The number of attempts for work on this connection that is lost to conflicts; as usual if undefined. */
  attempts?(connection: Connection): number;
}

/** Turns statements of repositories into queries. Subclasses send them. */
abstract class QueryRunner<Query, Connection> implements SqlRunner {
  nested: NestedPart | null = null;
  protected abstract readonly dialect: SqlDialect<Query, Connection>;

  constructor(
    protected readonly knex: Knex,
    /** The schema or database of the tables. */
    protected readonly schema: string,
  ) {}

  run<Row>(statement: Statement, values: readonly SqlValue[] = []): Promise<SqlResult<Row>> {
    return this.send(this.dialect.prepared(statement, values), statement);
  }

  runOnce<Row>(text: string, values: readonly SqlValue[] = []): Promise<SqlResult<Row>> {
    return this.send(this.dialect.composed(text, values));
  }

  build<Row>(query: Knex.QueryBuilder): Promise<SqlResult<Row>> {
    const { sql, bindings } = query.toSQL().toNative();
    return this.send(this.dialect.built(sql, bindings));
  }

  reading(_how: ReadOptions): SqlReader {
    return this;
  }

  table(name: string): Knex.QueryBuilder {
    return this.knex.withSchema(this.schema).from(name);
  }

  abstract atomically<T>(work: (sql: SqlRunner) => Promise<T>): Promise<T>;

  /** `statement` is undefined for a query composed for this call. */
  protected abstract send<Row>(query: Query, statement?: Statement): Promise<SqlResult<Row>>;

  /** Whether the failure is a conflict with another transaction. */
  protected isLost(failure: unknown): boolean {
    return failure instanceof ServiceError && this.dialect.isConflict(failure.cause);
  }
}

/** Sends statements to any free connection. Retries a transaction after a conflict. */
export abstract class SqlPooledRunner<Query, Connection extends PooledConnection> extends QueryRunner<
  Query,
  Connection
> {
  constructor(
    knex: Knex,
    schema: string,
    protected readonly calls: OpenCalls,
    /** Awaited before every call. Rejects while the database does not match the code. */
    protected readonly checkReady: () => Promise<void> | undefined,
  ) {
    super(knex, schema);
  }

  atomically<T>(work: (sql: SqlRunner, attempt: Attempt) => Promise<T>): Promise<T> {
    return this.transact((transaction) => transaction.complete(work));
  }

  /** Like `atomically`, for statements that are requested all at once. */
  batch<T>(work: (sql: SqlRunner) => Promise<T>): Promise<T> {
    return this.transact((transaction) => transaction.completeBatch(work));
  }

  protected abstract transactionOn(connection: Connection): SqlTransactionRunner<Query, Connection>;

  /** Takes a connection for a transaction; `giveBack` must follow. */
  protected abstract lend(): Promise<Connection>;

  protected abstract giveBack(connection: Connection): void;

  /** The error that a caller gets for a failure. */
  protected explained(failure: unknown): Promise<unknown> {
    return Promise.resolve(failure);
  }

  private async transact<T>(
    complete: (transaction: SqlTransactionRunner<Query, Connection>) => Promise<T>,
  ): Promise<T> {
    this.calls.begin();
    try {
      const checking = this.checkReady();
      if (checking !== undefined) await checking;
      for (let attempt = 1; ; attempt += 1) {
        const connection = await this.lend();
        const transaction = this.transactionOn(connection);
        const attempts = this.dialect.attempts?.(connection) ?? usualAttempts;
        try {
          return await complete(transaction);
        } catch (error) {
          if (attempt >= attempts || !transaction.conflicted) throw error;
        } finally {
          this.giveBack(connection);
        }
        await pauseAfter(attempt);
      }
    } catch (error) {
      throw await this.explained(error);
    } finally {
      this.calls.end();
    }
  }
}

/** Sends everything to the one connection of an open transaction. */
export abstract class SqlTransactionRunner<Query, Connection extends PooledConnection> extends QueryRunner<
  Query,
  Connection
> {
  protected failure: unknown;
  protected over = false;
  /** Settles when all statements so far are answered. */
  protected last: Promise<unknown> = Promise.resolve();
  /** Savepoint queries to send before the next statement: a nested transaction without statements costs nothing. */
  private deferred: Query[] = [];
  /** Depth of the current nested transaction. */
  private depth = 0;

  constructor(
    protected readonly connection: Connection,
    knex: Knex,
    schema: string,
  ) {
    super(knex, schema);
  }

  atomically<T>(work: (sql: SqlRunner) => Promise<T>): Promise<T> {
    return work(this);
  }

  /** Runs the work and commits, or rolls back and rethrows the work's error. */
  async complete<T>(work: (sql: SqlRunner, attempt: Attempt) => Promise<T>): Promise<T> {
    // If it fails, so does everything after it.
    this.dispatch(this.dialect.begin).catch(noOp);
    try {
      const result = await work(this, (nested) => this.attempt(nested));
      await this.end();
      return result;
    } catch (error) {
      await this.rollBack();
      throw error;
    } finally {
      this.over = true;
    }
  }

  /** Like `complete`, for work that requests everything at once: later statements are refused. */
  abstract completeBatch<T>(work: (sql: SqlRunner) => Promise<T>): Promise<T>;

  /** Whether the transaction failed because of a conflict and can be retried. */
  get conflicted(): boolean {
    return this.isLost(this.failure);
  }

  protected send<Row>(query: Query): Promise<SqlResult<Row>> {
    if (this.over) return Promise.reject(new ServiceError(799, { detail: "The transaction has ended." }));
    return this.dispatch(query);
  }

  protected dispatch<Row>(query: Query): Promise<SqlResult<Row>> {
    const deferred = this.deferred;
    this.deferred = [];
    for (const each of deferred) this.dispatchOne(each).catch(noOp);
    return this.dispatchOne(query);
  }

  /** Sends one query. Records its answer as the last one, and the first failure. */
  protected abstract dispatchOne<Row>(query: Query): Promise<SqlResult<Row>>;

  /** Commits after the last answer. After a failed statement, a database can only roll back, possibly silently on commit. */
  protected async end(): Promise<void> {
    await this.answered();
    if (this.failure !== undefined) throw this.failure;
    await this.dispatch(this.dialect.commit);
  }

  protected async rollBack(): Promise<void> {
    await this.answered();
    await this.dialect.runOn(this.connection, this.dialect.rollback).catch((reason: unknown) => {
      this.connection.__knex__disposed = reason;
    });
  }

  /** Resolves when all statements are answered, with or without success. */
  protected async answered(): Promise<void> {
    await this.last.catch(noOp);
  }

  /** Runs a nested transaction and rolls it back if it throws. */
  private async attempt<T>(work: () => Promise<T>): Promise<T> {
    if (this.failure !== undefined) throw this.failure;
    const outer = this.nested;
    const part = { outer, isRolledBack: false };
    this.nested = part;
    this.depth += 1;
    const { begin, release, undo } = this.dialect.savepoint(this.depth);
    this.deferred.push(begin);
    try {
      const result = await work();
      await this.answered();
      if (this.failure !== undefined) throw this.failure;
      this.endSavepoint(begin, release);
      return result;
    } catch (error) {
      part.isRolledBack = true;
      await this.answered();
      if (!this.conflicted && !endsTransaction(this.failure)) {
        this.failure = undefined;
        this.endSavepoint(begin, undo);
      }
      throw error;
    } finally {
      this.nested = outer;
      this.depth -= 1;
    }
  }

  private endSavepoint(begin: Query, ends: readonly Query[]): void {
    if (this.deferred.includes(begin)) this.deferred.pop();
    else this.deferred.push(...ends);
  }
}

function noOp(): void {}

/** Counts running calls. Closing waits for them and refuses new ones with 706. */
export class OpenCalls {
  private count = 0;
  private closing: Promise<void> | undefined;
  private finished: (() => void) | undefined;

  /** Runs one call, unless closed. */
  async during<T>(call: () => Promise<T>): Promise<T> {
    this.begin();
    try {
      return await call();
    } finally {
      this.end();
    }
  }

  /** Saves a promise per call; `end` must follow. */
  begin(): void {
    if (this.closing !== undefined) throw new ServiceError(706, { detail: "The storage is closed." });
    this.count += 1;
  }

  end(): void {
    this.count -= 1;
    if (this.count === 0) this.finished?.();
  }

  get areRunning(): boolean {
    return this.count > 0;
  }

  /** Refuses new calls. Resolves when the last running call has ended. */
  close(): Promise<void> {
    this.closing ??= new Promise((resolve) => {
      this.finished = resolve;
      if (this.count === 0) resolve();
    });
    return this.closing;
  }
}
