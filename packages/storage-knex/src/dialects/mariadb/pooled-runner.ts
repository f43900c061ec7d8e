import { type Attempt, ServiceError } from "@sallyport/core";
import type { Knex } from "knex";
import type { OpenCalls } from "../../open-calls.ts";
import { type SqlResult, type SqlRunner, withRetries } from "../../sql-runner.ts";
import { type Query, runOn, withConnection } from "./connection.ts";
import { isConflict } from "./mariadb-error.ts";
import { nothing, QueryRunner } from "./query-runner.ts";
import { TransactionRunner } from "./transaction-runner.ts";

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
    return this.whenReady(() => {
      const work = () => withConnection(this.knex, (connection) => runOn<Row>(connection, query));
      return withRetries(work, (error) => !isAnswer(error) && isLost(error)).catch((error: unknown) => {
        if (isAnswer(error)) return nothing;
        throw error;
      });
    });
  }

  private transact<T>(complete: (transaction: TransactionRunner) => Promise<T>): Promise<T> {
    return this.whenReady(() => {
      let transaction: TransactionRunner | undefined;
      const work = () => {
        transaction = undefined;
        return withConnection(this.knex, (connection) => {
          transaction = new TransactionRunner(connection, this.knex, this.database);
          return complete(transaction);
        });
      };
      return withRetries(work, () => transaction?.conflicted === true);
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

function isLost(error: unknown): boolean {
  return error instanceof ServiceError && isConflict(error.cause);
}
