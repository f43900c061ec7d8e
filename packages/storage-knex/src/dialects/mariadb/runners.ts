import type { ReadOptions } from "@sallyport/storage";
import { type SqlDialect, SqlPooledRunner, SqlTransactionRunner } from "../../query-runner.ts";
import {
  type SqlReader,
  type SqlResult,
  type SqlRunner,
  usualAttempts,
  withRetries,
  type Statement,
} from "../../sql-runner.ts";
import {
  acquire,
  clusterAttempts,
  type Connection,
  positionalQuery,
  type Query,
  readOn,
  release,
  runOn,
  withConnection,
} from "./connection.ts";
import { TransactionPlaces } from "./create-mariadb-knex.ts";
import { isConflict, isUnknownColumn } from "./mariadb-error.ts";

const plain = (sql: string): Query => ({ sql, values: [], plain: true });

export const dialect: SqlDialect<Query, Connection> = {
  prepared: ({ text, ignoreDuplicates }, values) => ({ ...positionalQuery(text, values), ignoreDuplicates }),
  composed: (text, values) => ({ ...positionalQuery(text, values), plain: true }),
  built: (sql, values) => ({ sql, values }),
  begin: plain("start transaction"),
  commit: plain("commit"),
  rollback: plain("rollback"),
  // A savepoint replaces an earlier one of the same depth, so none must be released.
  savepoint: (depth) => ({
    begin: plain(`savepoint nested_${depth}`),
    release: [],
    undo: [plain(`rollback to savepoint nested_${depth}`)],
  }),
  runOn,
  isConflict,
  attempts: attemptsOn,
};

function attemptsOn({ isClustered }: Connection): number {
  return isClustered === true ? clusterAttempts : usualAttempts;
}

/** Sends each statement to any free connection. Retries a statement or transaction after a conflict. */
export class PooledRunner extends SqlPooledRunner<Query, Connection> {
  protected readonly dialect = dialect;

  /** Composed reads can be cancelled. Those of prepared statements are short. */
  override reading({ onCancel }: ReadOptions): SqlReader {
    if (onCancel === undefined) return this;
    return {
      run: (statement, values) => this.run(statement, values),
      runOnce: (text, values = []) => this.send(dialect.composed(text, values), undefined, onCancel),
    };
  }

  protected send<Row>(
    query: Query,
    _statement?: Statement,
    onCancel?: ReadOptions["onCancel"],
  ): Promise<SqlResult<Row>> {
    return this.calls.during(async () => {
      await this.checkReady();
      let attempts = usualAttempts;
      const work = () =>
        withConnection(this.knex, (connection) => {
          attempts = attemptsOn(connection);
          return onCancel === undefined ? runOn<Row>(connection, query) : readOn<Row>(connection, query, onCancel);
        });
      return withRetries(
        work,
        // The caller of a single statement composes it again without the column.
        (error) => this.isLost(error) && !isUnknownColumn(error),
        () => attempts,
      );
    });
  }

  protected async lend(): Promise<Connection> {
    const places = TransactionPlaces.of(this.knex);
    await places.enter();
    try {
      return await acquire(this.knex);
    } catch (error) {
      places.leave();
      throw error;
    }
  }

  protected giveBack(connection: Connection): void {
    release(this.knex, connection);
    TransactionPlaces.of(this.knex).leave();
  }

  protected transactionOn(connection: Connection): TransactionRunner {
    return new TransactionRunner(connection, this.knex, this.schema);
  }
}

/** Sends everything to the one connection of an open transaction, sequentially. */
export class TransactionRunner extends SqlTransactionRunner<Query, Connection> {
  protected readonly dialect = dialect;

  async completeBatch<T>(work: (sql: SqlRunner) => Promise<T>): Promise<T> {
    this.dispatch(dialect.begin).catch(() => {});
    const requested = new Promise((resolve) => {
      // By then, all calls that depend on no answer are queued.
      process.nextTick(() => {
        this.over = true;
        resolve(undefined);
      });
    });
    try {
      const [result] = await Promise.all([work(this), requested]);
      await this.end();
      return result;
    } catch (error) {
      await requested;
      await this.rollBack();
      throw error;
    }
  }

  /** Sends nothing after a failure: a deadlock has ended the transaction, and the statement would commit on its own. */
  protected dispatchOne<Row>(query: Query): Promise<SqlResult<Row>> {
    const answer = this.last
      .catch(() => {})
      .then(async () => {
        if (this.failure !== undefined) throw this.failure;
        try {
          return await runOn<Row>(this.connection, query);
        } catch (error) {
          this.failure = error;
          throw error;
        }
      });
    this.last = answer;
    return answer;
  }
}
