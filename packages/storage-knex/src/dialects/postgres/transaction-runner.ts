import { promised, type SqlDialect, SqlTransactionRunner } from "../../query-runner.ts";
import type { SqlResult, SqlRunner, SqlValue } from "../../sql-runner.ts";
import { type Statement, statement as newStatement } from "../../statement.ts";
import { type Connection, type Query, runOn, withConnection } from "./connection.ts";
import { isConflict } from "./postgres-error.ts";

export const dialect: SqlDialect<Query, Connection> = {
  prepared: ({ name, text }, values) => ({ name, text, values }),
  composed: (text, values) => ({ text, values }),
  built: (text, values) => ({ text, values: values as SqlValue[] }),
  // Under a name, because the driver keeps only prepared statements back until it can send them with others.
  begin: { name: "begin", text: "begin isolation level read committed" },
  commit: { name: "commit", text: "commit" },
  rollback: { text: "rollback" },
  part: (depth) => {
    const release = { name: `release_${depth}`, text: `release savepoint part_${depth}` };
    return {
      begun: { name: `savepoint_${depth}`, text: `savepoint part_${depth}` },
      kept: [release],
      undone: [{ name: `rollback_to_${depth}`, text: `rollback to savepoint part_${depth}` }, release],
    };
  },
  withConnection,
  runOn,
  isConflict,
};

/** A statement that waits for all that is asked for together with it. */
interface Gathered {
  readonly query: Query;
  /** `undefined` if it was put together for this call. */
  readonly statement: Statement | undefined;
  readonly resolve: (answer: SqlResult<never> | Promise<SqlResult<never>>) => void;
}

/**
 * Sends everything to the one connection of an open transaction. What is asked for together travels together; the
 * database works it off in the order in which it was sent.
 */
export class TransactionRunner extends SqlTransactionRunner<Query, Connection> {
  protected readonly dialect = dialect;
  /** What is asked for together, as long as more may come. */
  private gathered: Gathered[] | null = null;

  /**
   * Runs work that asks for everything at once, as one statement where that can be. Else the end is sent along: a commit, which
   * the database turns into a rollback where a statement has failed.
   */
  async completeBatch<T>(work: (sql: SqlRunner) => Promise<T>): Promise<T> {
    const gathered: Gathered[] = [];
    this.gathered = gathered;
    let refused = false;
    const ended = new Promise<unknown>((resolve) => {
      // By then all is said that needs no answer, refusals without a statement among it.
      process.nextTick(() => {
        this.over = true;
        this.gathered = null;
        resolve(this.sendGathered(gathered, refused));
      });
    });
    const working = promised(() => work(this));
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

  /** Resolves when all is kept or nothing, unless the connection does not know. */
  private sendGathered(gathered: readonly Gathered[], refused: boolean): Promise<unknown> {
    const statements = gathered.flatMap(({ statement }) => statement ?? []);
    const batch = refused || statements.length < gathered.length ? null : batchStatement(statements);
    if (batch !== null) {
      const answer = this.dispatch<never>({ ...batch, values: gathered.flatMap(({ query }) => query.values ?? []) });
      for (const { resolve } of gathered) resolve(answer);
      return answer.catch(() => {});
    }
    // If it fails, so does everything after it.
    this.dispatch(dialect.begin).catch(() => {});
    for (const { query, resolve } of gathered) resolve(this.dispatch(query));
    return this.dispatch(refused ? dialect.rollback : dialect.commit);
  }

  protected override send<Row>(query: Query, statement?: Statement): Promise<SqlResult<Row>> {
    const { gathered } = this;
    if (gathered === null) return super.send(query);
    return new Promise((resolve) => {
      gathered.push({ query, statement, resolve: resolve as Gathered["resolve"] });
    });
  }

  protected dispatchOne<Row>(query: Query): Promise<SqlResult<Row>> {
    const sent = runOn<Row>(this.connection, query).catch((error: unknown) => {
      this.failure ??= error;
      // What comes after it fails because of it.
      throw this.failure;
    });
    this.last = sent;
    return sent;
  }
}

const batches = new Map<string, Statement>();

/**
 * Statements that answer nothing as one, which is all or nothing without a transaction around it: calls of functions are made in their order,
 * and rows are added once all of them are made. `null` if there is another one among them, or a call behind an addition.
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
