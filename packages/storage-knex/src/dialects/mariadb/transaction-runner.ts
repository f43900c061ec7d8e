import { promiseTry, type SqlDialect, SqlTransactionRunner } from "../../query-runner.ts";
import type { SqlResult, SqlRunner } from "../../sql-runner.ts";
import { type Connection, positionalQuery, type Query, runOn, withConnection } from "./connection.ts";
import { isConflict } from "./mariadb-error.ts";

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
  withConnection,
  runOn,
  isConflict,
};

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
      const [result] = await Promise.all([promiseTry(() => work(this)), requested]);
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
