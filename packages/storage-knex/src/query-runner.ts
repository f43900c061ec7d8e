import { type Attempt, ServiceError } from "@sallyport/core";
import type { Knex } from "knex";
import type { OpenCalls } from "./open-calls.ts";
import type { LentConnection } from "./pooled-connections.ts";
import { endsTransaction, type SqlResult, type SqlRunner, type SqlValue, withRetries } from "./sql-runner.ts";
import type { Statement } from "./statement.ts";

/** How a dialect says what runners send, and sends it. */
export interface SqlDialect<Query, Connection> {
  /** The query of a prepared statement. */
  prepared(statement: Statement, values: readonly SqlValue[]): Query;
  /** The query of a text that was put together for one call. */
  composed(text: string, values: readonly SqlValue[]): Query;
  /** The query of what Knex's query builder composed. */
  built(sql: string, values: readonly unknown[]): Query;
  readonly begin: Query;
  readonly commit: Query;
  readonly rollback: Query;
  /** The queries around a part of a transaction that is so deep in others: at its begin, and where it is kept or undone. */
  part(depth: number): { readonly begun: Query; readonly kept: readonly Query[]; readonly undone: readonly Query[] };
  withConnection<T>(knex: Knex, work: (connection: Connection) => Promise<T>): Promise<T>;
  runOn<Row>(connection: Connection, query: Query): Promise<SqlResult<Row>>;
  /** Whether the same work can succeed when it simply runs again. */
  isConflict(error: unknown): boolean;
}

/** Turns what repositories send into queries. Subclasses say where they go. */
abstract class QueryRunner<Query, Connection> implements SqlRunner {
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

  table(name: string): Knex.QueryBuilder {
    return this.knex.withSchema(this.schema).from(name);
  }

  abstract atomically<T>(work: (sql: SqlRunner) => Promise<T>): Promise<T>;

  /** Without a statement, the query was put together for this call. */
  protected abstract send<Row>(query: Query, statement?: Statement): Promise<SqlResult<Row>>;

  /** Whether it failed on a conflict with another transaction. */
  protected isLost(failure: unknown): boolean {
    return failure instanceof ServiceError && this.dialect.isConflict(failure.cause);
  }
}

/** Sends statements to any free connection; a transaction that lost against another one runs again. */
export abstract class SqlPooledRunner<Query, Connection extends LentConnection> extends QueryRunner<Query, Connection> {
  constructor(
    knex: Knex,
    schema: string,
    protected readonly calls: OpenCalls,
    /** Awaited before every call; refuses while the database is not what the code expects. */
    protected readonly ready: () => Promise<void> | undefined,
  ) {
    super(knex, schema);
  }

  atomically<T>(work: (sql: SqlRunner, attempt: Attempt) => Promise<T>): Promise<T> {
    return this.transact((transaction) => transaction.complete(work));
  }

  /** The same for statements that are asked for all at once. */
  together<T>(work: (sql: SqlRunner) => Promise<T>): Promise<T> {
    return this.transact((transaction) => transaction.completeBatch(work));
  }

  protected abstract transactionOn(connection: Connection): SqlTransactionRunner<Query, Connection>;

  private transact<T>(complete: (transaction: SqlTransactionRunner<Query, Connection>) => Promise<T>): Promise<T> {
    return this.calls.during(async () => {
      await this.ready();
      let transaction: SqlTransactionRunner<Query, Connection> | undefined;
      const work = () => {
        transaction = undefined;
        return this.dialect.withConnection(this.knex, (connection) => {
          transaction = this.transactionOn(connection);
          return complete(transaction);
        });
      };
      return withRetries(work, () => transaction?.conflicted === true);
    });
  }
}

/** Sends everything to the one connection of an open transaction. */
export abstract class SqlTransactionRunner<Query, Connection extends LentConnection> extends QueryRunner<
  Query,
  Connection
> {
  protected failure: unknown;
  protected over = false;
  /** Settles when all that was asked for so far is answered. */
  protected last: Promise<unknown> = Promise.resolve();
  /** Begins and ends of parts that are sent before the next statement: a part that asks for nothing costs nothing. */
  private owed: Query[] = [];
  /** How deep in parts the work is. */
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

  /** Runs the work and commits, or rolls back and throws the work's own error. */
  async complete<T>(work: (sql: SqlRunner, attempt: Attempt) => Promise<T>): Promise<T> {
    // If it fails, so does everything after it.
    this.dispatch(this.dialect.begin).catch(noOp);
    try {
      const result = await work(this, (part) => this.attempt(part));
      await this.end();
      return result;
    } catch (error) {
      await this.rollBack();
      throw error;
    } finally {
      this.over = true;
    }
  }

  /** The same for work that asks for everything at once: what is asked for later is refused. */
  abstract completeBatch<T>(work: (sql: SqlRunner) => Promise<T>): Promise<T>;

  /** Whether the transaction failed on a conflict with another one, and may be tried again. */
  get conflicted(): boolean {
    return this.isLost(this.failure);
  }

  protected send<Row>(query: Query): Promise<SqlResult<Row>> {
    if (this.over) return Promise.reject(new ServiceError(799, { detail: "The transaction is over." }));
    return this.dispatch(query);
  }

  protected dispatch<Row>(query: Query): Promise<SqlResult<Row>> {
    const owed = this.owed;
    this.owed = [];
    for (const each of owed) this.dispatchOne(each).catch(noOp);
    return this.dispatchOne(query);
  }

  /** Sends one query, notes its answer as the last one, and its failure if it is the first. */
  protected abstract dispatchOne<Row>(query: Query): Promise<SqlResult<Row>>;

  /** Commits when all is answered. After a failed statement a database can only roll back, and may do so silently on commit. */
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

  /** All that was sent is answered, one way or another. */
  protected async answered(): Promise<void> {
    await this.last.catch(noOp);
  }

  /** Does a part of the work, and undoes what it did if it throws. */
  private async attempt<T>(part: () => Promise<T>): Promise<T> {
    if (this.failure !== undefined) throw this.failure;
    this.depth += 1;
    const { begun, kept, undone } = this.dialect.part(this.depth);
    this.owed.push(begun);
    try {
      const result = await part();
      await this.answered();
      if (this.failure !== undefined) throw this.failure;
      this.endPart(begun, kept);
      return result;
    } catch (error) {
      await this.answered();
      if (!this.conflicted && !endsTransaction(this.failure)) {
        this.failure = undefined;
        this.endPart(begun, undone);
      }
      throw error;
    } finally {
      this.depth -= 1;
    }
  }

  private endPart(begun: Query, ends: readonly Query[]): void {
    if (this.owed.includes(begun)) this.owed.pop();
    else this.owed.push(...ends);
  }
}

function noOp(): void {}

/** The work's own promise, also where it throws at once. */
export async function promised<T>(work: () => Promise<T>): Promise<T> {
  return work();
}
