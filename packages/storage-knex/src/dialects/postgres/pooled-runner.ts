import { setTimeout as delay } from "node:timers/promises";
import { type Attempt, ServiceError } from "@sallyport/core";
import type { Knex } from "knex";
import type { OpenCalls } from "../../open-calls.ts";
import type { SqlResult, SqlRunner, SqlValue } from "../../sql-runner.ts";
import type { Statement } from "../../statement.ts";
import { type Query, runOn, withConnection } from "./connection.ts";
import { isConflict } from "./postgres-error.ts";
import { SharedLoan } from "./shared-loan.ts";
import { TransactionRunner } from "./transaction-runner.ts";
import { TurnGroups } from "./turn-groups.ts";

const attempts = 3;

/** Lets the winner of a deadlock take what the loser has given free, before the loser wants it again. */
function pauseAfter(attempt: number): Promise<void> {
  return delay(attempt * 10 + Math.random() * 20);
}

/**
 * Sends statements to any free connection, those that are asked for together to the same one, and brief ones of one turn of the event
 * loop as if they were; a statement or transaction that lost against another one runs again.
 */
export class PooledRunner implements SqlRunner {
  private loan: SharedLoan | undefined;
  private readonly groups = new TurnGroups();

  constructor(
    private readonly knex: Knex,
    private readonly schema: string,
    private readonly calls: OpenCalls,
    /** Awaited before every call; refuses while the database is not what the code expects. */
    private readonly ready: () => Promise<void> | undefined,
  ) {}

  run<Row>({ name, text, brief }: Statement, values: readonly SqlValue[]): Promise<SqlResult<Row>> {
    return this.send({ name, text, values }, brief);
  }

  runOnce<Row>(text: string, values: readonly SqlValue[]): Promise<SqlResult<Row>> {
    return this.send({ text, values });
  }

  build<Row>(query: Knex.QueryBuilder): Promise<SqlResult<Row>> {
    const { sql, bindings } = query.toSQL().toNative();
    return this.send({ text: sql, values: bindings as SqlValue[] });
  }

  table(name: string): Knex.QueryBuilder {
    return this.knex.withSchema(this.schema).from(name);
  }

  atomically<T>(work: (sql: SqlRunner, attempt: Attempt) => Promise<T>): Promise<T> {
    return this.transact((transaction) => transaction.complete(work));
  }

  /** The same for statements that are asked for all at once, in one trip with the end of the transaction. */
  together<T>(work: (sql: SqlRunner) => Promise<T>): Promise<T> {
    return this.transact((transaction) => transaction.completeTogether(work));
  }

  private transact<T>(complete: (transaction: TransactionRunner) => Promise<T>): Promise<T> {
    return this.calls.during(async () => {
      await this.ready();
      for (let attempt = 1; ; attempt += 1) {
        let conflicted = false;
        try {
          return await withConnection(this.knex, async (connection) => {
            const transaction = new TransactionRunner(connection, this.knex, this.schema);
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

  private async send<Row>(query: Query, brief = false): Promise<SqlResult<Row>> {
    this.calls.begin();
    try {
      const checking = this.ready();
      if (checking !== undefined) await checking;
      if (brief) await this.groups.join();
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await this.currentLoan().use((connection) => runOn<Row>(connection, query));
        } catch (error) {
          if (attempt === attempts || !(error instanceof ServiceError) || !isConflict(error.cause)) throw error;
        }
        await pauseAfter(attempt);
      }
    } finally {
      this.calls.end();
    }
  }

  /** The loan for all that is sent before the caller next awaits something. */
  private currentLoan(): SharedLoan {
    if (this.loan === undefined) {
      this.loan = new SharedLoan(this.knex);
      queueMicrotask(() => {
        this.loan = undefined;
      });
    }
    return this.loan;
  }
}
