import { type Attempt, ServiceError } from "@sallyport/core";
import type { Knex } from "knex";
import { endsTransaction, type SqlResult, type SqlRunner, type SqlValue } from "../../sql-runner.ts";
import { type Statement, statement as newStatement } from "../../statement.ts";
import { type Connection, type Query, runOn } from "./connection.ts";
import { isConflict } from "./postgres-error.ts";

// Under a name, because the driver keeps only prepared statements back until it can send them with others.
const begin = { name: "begin", text: "begin isolation level read committed" };
const commit = { name: "commit", text: "commit" };
const rollback = { text: "rollback" };

/** A statement that waits for all that is asked for together with it. */
interface Gathered {
  readonly query: Query;
  /** `null` if it was put together for this call. */
  readonly statement: Statement | null;
  readonly resolve: (answer: SqlResult<never> | Promise<SqlResult<never>>) => void;
}

/** The statements of a part that is so deep in others. */
const savepoint = (depth: number) => ({ name: `savepoint_${depth}`, text: `savepoint part_${depth}` });
const keepPart = (depth: number) => ({ name: `release_${depth}`, text: `release savepoint part_${depth}` });
const undoPart = (depth: number) => ({ name: `rollback_to_${depth}`, text: `rollback to savepoint part_${depth}` });

/**
 * Sends everything to the one connection of an open transaction. What is asked for together travels together; the
 * database works it off in the order in which it was sent.
 */
export class TransactionRunner implements SqlRunner {
  private failure: unknown;
  private over = false;
  /** The last statement sent; as answers keep the order, all are answered when it is. */
  private last: Promise<unknown> = Promise.resolve();
  /** Begins and ends of parts that travel with the next statement: one that asks for nothing costs nothing. */
  private owed: Query[] = [];
  /** What is asked for together, as long as more may come. */
  private gathered: Gathered[] | null = null;
  /** How deep in parts the work is. */
  private depth = 0;

  constructor(
    private readonly connection: Connection,
    private readonly knex: Knex,
    private readonly schema: string,
  ) {}

  run<Row>(statement: Statement, values: readonly SqlValue[]): Promise<SqlResult<Row>> {
    const { name, text } = statement;
    return this.send({ name, text, values }, statement);
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

  atomically<T>(work: (sql: SqlRunner) => Promise<T>): Promise<T> {
    return work(this);
  }

  /** Runs the work and commits, or rolls back and throws the work's own error. */
  async complete<T>(work: (sql: SqlRunner, attempt: Attempt) => Promise<T>): Promise<T> {
    // Travels with the first statement of the work. If it fails, so does everything after it.
    this.send(begin).catch(() => {});
    try {
      const result = await work(this, (part) => this.attempt(part));
      await this.answered();
      // After a failed statement the database can only roll back, and would do so silently on commit.
      if (this.failure !== undefined) throw this.failure;
      await this.send(commit);
      return result;
    } catch (error) {
      await this.answered();
      await this.rollBack();
      throw error;
    } finally {
      this.over = true;
    }
  }

  /**
   * Runs work that asks for everything at once, as one statement where that can be. Else the end is sent along: a commit, which
   * the database turns into a rollback where a statement has failed.
   */
  async completeTogether<T>(work: (sql: SqlRunner) => Promise<T>): Promise<T> {
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
    const joint = refused || statements.length < gathered.length ? null : jointStatement(statements);
    if (joint !== null) {
      const answer = this.dispatch<never>({ ...joint, values: gathered.flatMap(({ query }) => query.values ?? []) });
      for (const { resolve } of gathered) resolve(answer);
      return answer.catch(() => {});
    }
    // If it fails, so does everything after it.
    this.dispatch(begin).catch(() => {});
    for (const { query, resolve } of gathered) resolve(this.dispatch(query));
    return this.dispatch(refused ? rollback : commit);
  }

  /** Does a part of the work, and undoes what it did if it throws. */
  private async attempt<T>(part: () => Promise<T>): Promise<T> {
    if (this.failure !== undefined) throw this.failure;
    this.depth += 1;
    const depth = this.depth;
    const begun = savepoint(depth);
    this.owed.push(begun);
    try {
      const result = await part();
      await this.answered();
      if (this.failure !== undefined) throw this.failure;
      this.endPart(begun, [keepPart(depth)]);
      return result;
    } catch (error) {
      await this.answered();
      if (!this.conflicted && !endsTransaction(this.failure)) {
        this.failure = undefined;
        this.endPart(begun, [undoPart(depth), keepPart(depth)]);
      }
      throw error;
    } finally {
      this.depth -= 1;
    }
  }

  private endPart(begun: Query, ends: readonly Query[]): void {
    if (this.owed.includes(begun)) this.owed.pop();
    else this.owed.push(...ends);
  }

  /** Whether the transaction failed on a conflict with another one, and may be tried again. */
  get conflicted(): boolean {
    return this.failure instanceof ServiceError && isConflict(this.failure.cause);
  }

  /** All that was sent is answered, one way or another. */
  private async answered(): Promise<void> {
    await this.last.catch(() => {});
  }

  private async rollBack(): Promise<void> {
    await runOn(this.connection, rollback).catch((reason: unknown) => {
      this.connection.__knex__disposed = reason;
    });
  }

  private send<Row>(query: Query, statement: Statement | null = null): Promise<SqlResult<Row>> {
    const { gathered } = this;
    if (gathered !== null) {
      return new Promise((resolve) => {
        gathered.push({ query, statement, resolve: resolve as Gathered["resolve"] });
      });
    }
    if (this.over) return Promise.reject(new ServiceError(799, { detail: "The transaction is over." }));
    return this.dispatch(query);
  }

  private dispatch<Row>(query: Query): Promise<SqlResult<Row>> {
    const owed = this.owed;
    this.owed = [];
    for (const each of owed) this.dispatchOne(each).catch(() => {});
    return this.dispatchOne(query);
  }

  private dispatchOne<Row>(query: Query): Promise<SqlResult<Row>> {
    const sent = runOn<Row>(this.connection, query).catch((error: unknown) => {
      this.failure ??= error;
      // What comes after it fails because of it.
      throw this.failure;
    });
    this.last = sent;
    return sent;
  }
}

/** The work's own promise, also where it throws at once. */
async function promised<T>(work: () => Promise<T>): Promise<T> {
  return work();
}

const joints = new Map<string, Statement>();

/**
 * Statements that answer nothing as one, which is all or nothing without a transaction around it: calls of functions are made in their order,
 * and rows are added once all of them are made. `null` if there is another one among them, or a call behind an addition.
 */
export function jointStatement(statements: readonly Statement[]): Statement | null {
  const calls = statements.filter(({ joint }) => joint === "call");
  const additions = statements.filter(({ joint }) => joint === "addition");
  if (
    calls.length === 0 ||
    calls.length + additions.length < statements.length ||
    statements.slice(calls.length).some(({ joint }) => joint === "call")
  )
    return null;
  const name = statements.map((each) => each.name).join(" ");
  const known = joints.get(name);
  if (known !== undefined) return known;
  const made = join(calls, additions);
  joints.set(name, made);
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
