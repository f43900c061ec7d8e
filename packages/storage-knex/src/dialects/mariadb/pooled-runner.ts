import { SqlPooledRunner } from "../../query-runner.ts";
import { type SqlResult, withRetries } from "../../sql-runner.ts";
import { type Connection, type Query, runOn, withConnection } from "./connection.ts";
import { dialect, TransactionRunner } from "./transaction-runner.ts";

/** Sends each statement to any free connection. Retries a statement or transaction after a conflict. */
export class PooledRunner extends SqlPooledRunner<Query, Connection> {
  protected readonly dialect = dialect;

  protected send<Row>(query: Query): Promise<SqlResult<Row>> {
    return this.calls.during(async () => {
      await this.checkReady();
      const work = () => withConnection(this.knex, (connection) => runOn<Row>(connection, query));
      return withRetries(work, (error) => this.isLost(error));
    });
  }

  protected transactionOn(connection: Connection): TransactionRunner {
    return new TransactionRunner(connection, this.knex, this.schema);
  }
}
