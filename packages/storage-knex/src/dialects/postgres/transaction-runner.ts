import { promiseTry, type SqlDialect, SqlTransactionRunner } from "../../query-runner.ts";
import type { SqlResult, SqlRunner, SqlValue } from "../../sql-runner.ts";
import { type Statement, statement as newStatement } from "../../statement.ts";
import { type Connection, type Query, runOn, withConnection } from "./connection.ts";
import { isConflict } from "./postgres-error.ts";

export const dialect: SqlDialect<Query, Connection> = {
  prepared: ({ name, text }, values) => ({ name, text, values }),
  composed: (text, values) => ({ text, values }),
  built: (text, values) => ({ text, values: values as SqlValue[] }),
  // Named, because the driver batches only prepared statements.
  begin: { name: "begin", text: "begin isolation level read committed" },
  commit: { name: "commit", text: "commit" },
  rollback: { text: "rollback" },
  savepoint: (depth) => {
    const release = { name: `release_${depth}`, text: `release savepoint nested_${depth}` };
    return {
      begin: { name: `savepoint_${depth}`, text: `savepoint nested_${depth}` },
      release: [release],
      undo: [{ name: `rollback_to_${depth}`, text: `rollback to savepoint nested_${depth}` }, release],
    };
  },
  withConnection,
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
    const working = promiseTry(() => work(this));
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
    const statements = batched.flatMap(({ statement }) => statement ?? []);
    const batch = refused || statements.length < batched.length ? null : batchStatement(statements);
    if (batch !== null) {
      const answer = this.dispatch<never>({ ...batch, values: batched.flatMap(({ query }) => query.values ?? []) });
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

const batches = new Map<string, Statement>();

/**
 * Combines statements without answers into one atomic statement: function calls run in order, then rows are inserted.
 * Returns `null` if it includes another kind of statement, or a call after an insert.
 */
export function batchStatement(statements: readonly Statement[]): Statement | null {
  const calls = statements.filter(({ batch }) => batch === "call");
  const additions = statements.filter(({ batch }) => batch === "addition");
  if (
    calls.length === 0 ||
    calls.length + additions.length < statements.length ||
    statements.slice(calls.length).some(({ batch }) => batch === "call")
  )
    return null;
  const name = statements.map((each) => each.name).join(" ");
  const known = batches.get(name);
  if (known !== undefined) return known;
  const made = join(calls, additions);
  batches.set(name, made);
  return made;
}

function join(calls: readonly Statement[], additions: readonly Statement[]): Statement {
  let parameters = 0;
  const texts = [...calls, ...additions].map(({ text }) => {
    const before = parameters;
    return text.replaceAll(/\$(\d+)/g, (_, number: string) => {
      parameters = Math.max(parameters, before + Number(number));
      return `$${before + Number(number)}`;
    });
  });
  const made = texts.slice(0, calls.length).map((text) => text.replace(/^select /, ""));
  const added = texts.slice(calls.length).map((text, index) => `added_${index} as (${text})`);
  return newStatement("joint", `${added.length === 0 ? "" : `with ${added.join(", ")} `}select ${made.join(", ")}`);
}
