import { setTimeout as delay } from "node:timers/promises";
import { type Attempt, ServiceError } from "@sallyport/core";
import type { Knex } from "knex";
import type { OpenCalls } from "../../open-calls.ts";
import type { SqlResult, SqlRunner } from "../../sql-runner.ts";
import { type Query, runOn, withConnection } from "./connection.ts";
import { isConflict } from "./mariadb-error.ts";
import { nothing, QueryRunner } from "./query-runner.ts";
import { TransactionRunner } from "./transaction-runner.ts";

const attempts = 3;

/** Lets the winner of a deadlock take what the loser has given free, before the loser wants it again. */
function pauseAfter(attempt: number): Promise<void> {
  return delay(attempt * 10 + Math.random() * 20);
}

/** Sends each statement to any free connection; a statement or transaction that lost against another one runs again. */
export class PooledRunner extends QueryRunner {
  constructor(
    knex: Knex,
    database: string,
    private readonly calls: OpenCalls,
    /** Awaited before every call; refuses while the database is not what the code expects. */
    private readonly ready: () => Promise<void> | undefined,
  ) {
    super(knex, database);
  }

  atomically<T>(work: (sql: SqlRunner, attempt: Attempt) => Promise<T>): Promise<T> {
    return this.transact((transaction) => transaction.complete(work));
  }

  /** The same for statements that are asked for all at once. */
  together<T>(work: (sql: SqlRunner) => Promise<T>): Promise<T> {
    return this.transact((transaction) => transaction.completeTogether(work));
  }

  protected send<Row>(query: Query, isAnswer: (error: unknown) => boolean): Promise<SqlResult<Row>> {
    return this.whenReady(async () => {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await withConnection(this.knex, (connection) => runOn<Row>(connection, query));
        } catch (error) {
          if (isAnswer(error)) return nothing;
          if (attempt === attempts || !(error instanceof ServiceError) || !isConflict(error.cause)) throw error;
        }
        await pauseAfter(attempt);
      }
    });
  }

  private transact<T>(complete: (transaction: TransactionRunner) => Promise<T>): Promise<T> {
    return this.whenReady(async () => {
      for (let attempt = 1; ; attempt += 1) {
        let conflicted = false;
        try {
          return await withConnection(this.knex, async (connection) => {
            const transaction = new TransactionRunner(connection, this.knex, this.database);
            try {
              return await complete(transaction);
            } finally {
              conflicted = transaction.conflicted;
            }
          });
        } catch (error) {
          if (!conflicted || attempt === attempts) throw error;
        }
        await pauseAfter(attempt);
      }
    });
  }

  private whenReady<T>(call: () => Promise<T>): Promise<T> {
    return this.calls.during(async () => {
      const checking = this.ready();
      if (checking !== undefined) await checking;
      return call();
    });
  }
}
