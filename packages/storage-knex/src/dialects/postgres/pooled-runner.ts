import { setImmediate } from "node:timers";
import type { Knex } from "knex";
import { SqlPooledRunner } from "../../query-runner.ts";
import { type SqlResult, withRetries } from "../../sql-runner.ts";
import type { Statement } from "../../statement.ts";
import { acquire, type Connection, type Query, release, runOn } from "./connection.ts";
import { dialect, TransactionRunner } from "./transaction-runner.ts";

/**
 * Sends each statement to any free connection. Statements of the same microtask share a connection, and so do batchable
 * ones of the same event-loop tick. Retries a statement or transaction after a conflict.
 */
export class PooledRunner extends SqlPooledRunner<Query, Connection> {
  protected readonly dialect = dialect;
  private shared: SharedConnection | undefined;
  private readonly batcher = new TickBatcher();

  protected async send<Row>(query: Query, statement?: Statement): Promise<SqlResult<Row>> {
    this.calls.begin();
    try {
      const checking = this.checkReady();
      if (checking !== undefined) await checking;
      if (statement?.batchable === true) await this.batcher.join();
      return await withRetries(
        () => this.sharedConnection().use((connection) => runOn<Row>(connection, query)),
        (error) => this.isLost(error),
      );
    } finally {
      this.calls.end();
    }
  }

  protected transactionOn(connection: Connection): TransactionRunner {
    return new TransactionRunner(connection, this.knex, this.schema);
  }

  /** The loan for all statements sent before the next microtask. */
  private sharedConnection(): SharedConnection {
    if (this.shared === undefined) {
      this.shared = new SharedConnection(this.knex);
      queueMicrotask(() => {
        this.shared = undefined;
      });
    }
    return this.shared;
  }
}

/** A connection for several concurrent statements, released after the last answer. */
class SharedConnection {
  private readonly connection: Promise<Connection>;
  private users = 0;

  constructor(private readonly knex: Knex) {
    this.connection = acquire(knex);
  }

  /** Call it before any `await` after the loan was taken. */
  async use<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    this.users += 1;
    const connection = await this.connection;
    try {
      return await work(connection);
    } finally {
      this.users -= 1;
      if (this.users === 0) release(this.knex, connection);
    }
  }
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
