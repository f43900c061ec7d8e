import { setImmediate } from "node:timers";
import type { ReadOptions } from "@sallyport/storage";
import type { Knex } from "knex";
import { type OpenCalls, type SqlDialect, SqlPooledRunner, SqlTransactionRunner } from "../../query-runner.ts";
import {
  type SqlReader,
  type SqlResult,
  type SqlRunner,
  type SqlValue,
  pauseAfter,
  usualAttempts,
  type Statement,
} from "../../sql-runner.ts";
import { acquire, type Connection, type Query, release, runOn } from "./connection.ts";
import { isConflict } from "./postgres-error.ts";
import { batchStatement } from "./batch-statement.ts";
import type { FormerPlace } from "./move-notice.ts";
import { PositionedReads } from "./replicas.ts";
import type { TimelineGuard } from "./timeline.ts";

export const dialect: SqlDialect<Query, Connection> = {
  prepared: ({ name, text }, values) => ({ name, text, values }),
  composed: (text, values) => ({ text, values }),
  built: (text, values) => ({ text, values: values as SqlValue[] }),
  // Not prepared: if a pooler lost the start of a transaction, the statements after it would commit one by one.
  begin: { text: "begin isolation level read committed" },
  commit: { text: "commit" },
  rollback: { text: "rollback" },
  savepoint: (depth) => {
    const end = { text: `release savepoint nested_${depth}` };
    return {
      begin: { text: `savepoint nested_${depth}` },
      release: [end],
      undo: [{ text: `rollback to savepoint nested_${depth}` }, end],
    };
  },
  runOn,
  isConflict,
};

/** A statement of a batch that is being collected. */
interface BatchedQuery {
  readonly query: Query;
  /** `undefined` for a text composed for this call. */
  readonly statement: Statement | undefined;
  readonly resolve: (answer: SqlResult<never> | Promise<SqlResult<never>>) => void;
}

/**
 * Sends everything to the one connection of an open transaction. Concurrent statements are pipelined; the database runs
 * them in order.
 */
export class TransactionRunner extends SqlTransactionRunner<Query, Connection> {
  protected readonly dialect = dialect;
  /** The statements of the batch, while it accepts more. */
  private batched: BatchedQuery[] | null = null;

  /**
   * Runs a batch as one statement if possible. Otherwise it sends the commit along with the statements; the database
   * turns it into a rollback if one of them failed.
   */
  async completeBatch<T>(work: (sql: SqlRunner) => Promise<T>): Promise<T> {
    const batched: BatchedQuery[] = [];
    this.batched = batched;
    let refused = false;
    const ended = new Promise<unknown>((resolve) => {
      // By then, all calls that depend on no answer are queued, including refusals without a statement.
      process.nextTick(() => {
        this.over = true;
        this.batched = null;
        resolve(this.sendBatch(batched, refused));
      });
    });
    const working = work(this);
    working.catch(() => {
      refused = true;
    });
    try {
      const [result] = await Promise.all([working, ended]);
      if (this.failure !== undefined) throw this.failure;
      return result;
    } finally {
      await this.answered();
      await ended.catch(() => this.rollBack());
    }
  }

  /** Resolves when the batch is committed or rolled back. The outcome is unknown if the connection is lost. */
  private sendBatch(batched: readonly BatchedQuery[], refused: boolean): Promise<unknown> {
    const statements: Statement[] = [];
    const values: SqlValue[] = [];
    for (const { statement, query } of batched) {
      if (statement !== undefined) statements.push(statement);
      values.push(...(query.values ?? []));
    }
    const batch = refused || statements.length < batched.length ? null : batchStatement(statements);
    if (batch !== null) {
      const answer = this.dispatch<never>({ ...batch, values });
      for (const { resolve } of batched) resolve(answer);
      return answer.catch(() => {});
    }
    // If it fails, so does everything after it.
    this.dispatch(dialect.begin).catch(() => {});
    for (const { query, resolve } of batched) resolve(this.dispatch(query));
    return this.dispatch(refused ? dialect.rollback : dialect.commit);
  }

  protected override send<Row>(query: Query, statement?: Statement): Promise<SqlResult<Row>> {
    const { batched } = this;
    if (batched === null) return super.send(query);
    return new Promise((resolve) => {
      batched.push({ query, statement, resolve: resolve as BatchedQuery["resolve"] });
    });
  }

  protected dispatchOne<Row>(query: Query): Promise<SqlResult<Row>> {
    const sent = runOn<Row>(this.connection, query).catch((error: unknown) => {
      this.failure ??= error;
      // Later statements fail with the same error.
      throw this.failure;
    });
    this.last = sent;
    return sent;
  }
}

/**
 * Sends each statement to any free connection. Statements of the same microtask share a connection, and so do batchable
 * ones of the same event-loop tick. Retries a statement or transaction after a conflict.
 */
export class PooledRunner extends SqlPooledRunner<Query, Connection> {
  protected readonly dialect = dialect;
  private shared: SharedConnection | undefined;
  private readonly batcher = new TickBatcher();

  constructor(
    knex: Knex,
    schema: string,
    calls: OpenCalls,
    checkReady: () => Promise<void> | undefined,
    private readonly place: {
      readonly guard: Pick<TimelineGuard, "acquire"> | undefined;
      readonly formerPlace: Pick<FormerPlace, "explained">;
    },
  ) {
    super(knex, schema, calls, checkReady);
  }

  override reading({ position, onCancel }: ReadOptions): SqlReader {
    if (!(position instanceof PositionedReads))
      return onCancel === undefined
        ? this
        : {
            run: (prepared, values = []) => this.send(dialect.prepared(prepared, values), prepared, onCancel),
            runOnce: (text, values = []) => this.send(dialect.composed(text, values), undefined, onCancel),
          };
    const read = async <Row>(query: Query, prepared?: Statement): Promise<SqlResult<Row>> =>
      (await this.calls.during(() => position.read<Row>(query))) ?? this.send(query, prepared, onCancel);
    return {
      run: (prepared, values = []) => read(dialect.prepared(prepared, values), prepared),
      runOnce: (text, values = []) => read(dialect.composed(text, values)),
    };
  }

  protected async send<Row>(
    query: Query,
    statement?: Statement,
    onCancel?: ReadOptions["onCancel"],
  ): Promise<SqlResult<Row>> {
    this.calls.begin();
    try {
      const checking = this.checkReady();
      if (checking !== undefined) await checking;
      if (statement?.batchable === true) await this.batcher.join();
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await this.sendShared<Row>(query, onCancel);
        } catch (error) {
          if (attempt >= usualAttempts || !this.isLost(error)) throw error;
        }
        await pauseAfter(attempt);
      }
    } catch (error) {
      throw await this.explained(error);
    } finally {
      this.calls.end();
    }
  }

  protected transactionOn(connection: Connection): TransactionRunner {
    return new TransactionRunner(connection, this.knex, this.schema);
  }

  protected lend(): Promise<Connection> {
    return this.place.guard?.acquire() ?? acquire(this.knex);
  }

  protected giveBack(connection: Connection): void {
    release(this.knex, connection);
  }

  protected override explained(failure: unknown): Promise<unknown> {
    return this.place.formerPlace.explained(failure);
  }

  /** The loan for all statements sent before the next microtask. */
  private sharedConnection(): SharedConnection {
    if (this.shared === undefined) {
      this.shared = { connection: this.lend(), users: 0, request: undefined, cancelled: Promise.resolve() };
      queueMicrotask(() => {
        this.shared = undefined;
      });
    }
    return this.shared;
  }

  /** Sends a statement on the loan of this microtask. */
  private async sendShared<Row>(query: Query, onCancel: ReadOptions["onCancel"]): Promise<SqlResult<Row>> {
    const shared = this.sharedConnection();
    if (shared.request === undefined) shared.request = onCancel ?? null;
    else if (shared.request !== onCancel) shared.request = null;
    shared.users += 1;
    const connection = await shared.connection;
    let isRunning = true;
    let unsubscribe: (() => void) | undefined;
    try {
      const answer = runOn<Row>(connection, query);
      unsubscribe = onCancel?.(() => {
        if (shared.request === onCancel)
          shared.cancelled = shared.cancelled.then(() => this.cancel(shared, connection, () => isRunning));
      });
      return await answer;
    } finally {
      isRunning = false;
      unsubscribe?.();
      this.leave(shared, connection);
    }
  }

  /** A late cancellation hits nothing: the connection stays lent until the server has made it. */
  private async cancel(shared: SharedConnection, connection: Connection, isRunning: () => boolean): Promise<void> {
    if (!isRunning() || connection.cancelRead === undefined) return;
    shared.users += 1;
    await connection.cancelRead();
    this.leave(shared, connection);
  }

  private leave(shared: SharedConnection, connection: Connection): void {
    shared.users -= 1;
    if (shared.users === 0) this.giveBack(connection);
  }
}

/** A connection for several concurrent statements, released after the last answer. */
interface SharedConnection {
  readonly connection: Promise<Connection>;
  users: number;
  /** The request of all statements; `null` if there are several, or one that does not end early. */
  request: ReadOptions["onCancel"] | null;
  cancelled: Promise<void>;
}

/** Statements per packet. The database runs them sequentially, so a large batch would delay the last one. */
const maximumBatch = 8;

interface Batch {
  size: number;
  readonly started: Promise<void>;
  readonly start: () => void;
}

/**
 * Batches the statements of one event-loop tick. Under load, one read delivers several requests, and packets to and
 * from the database cost more than their content. A statement waits at most until the end of the tick. A full batch
 * does not wait.
 */
class TickBatcher {
  private batch: Batch | undefined;

  /** The members of a batch resume without other work in between. */
  join(): Promise<void> {
    this.batch ??= this.begin();
    const { batch } = this;
    batch.size += 1;
    if (batch.size === maximumBatch) this.end(batch);
    return batch.started;
  }

  private begin(): Batch {
    let start: () => void = () => {};
    const started = new Promise<void>((resolve) => {
      start = resolve;
    });
    const batch = { size: 0, started, start };
    setImmediate(() => this.end(batch));
    return batch;
  }

  private end(batch: Batch): void {
    if (this.batch === batch) this.batch = undefined;
    batch.start();
  }
}
