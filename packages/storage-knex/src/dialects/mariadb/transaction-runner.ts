import { type Attempt, ServiceError } from "@sallyport/core";
import type { Knex } from "knex";
import { endsTransaction, type SqlResult, type SqlRunner } from "../../sql-runner.ts";
import { type Connection, type Query, runOn } from "./connection.ts";
import { isConflict } from "./mariadb-error.ts";
import { isNever, nothing, QueryRunner } from "./query-runner.ts";

const begin: Query = { sql: "start transaction", values: [], plain: true };
const commit: Query = { sql: "commit", values: [], plain: true };
const rollback: Query = { sql: "rollback", values: [], plain: true };

/** Marks where a part begins that is so deep in others; the mark of a part before it that was as deep is forgotten. */
const savepoint = (depth: number): Query => ({ sql: `savepoint part_${depth}`, values: [], plain: true });
const undoPart = (depth: number): Query => ({ sql: `rollback to savepoint part_${depth}`, values: [], plain: true });

/** Sends everything to the one connection of an open transaction, one after the other. */
export class TransactionRunner extends QueryRunner {
  private failure: unknown;
  private over = false;
  /** Settles when all that was asked for so far is answered. */
  private last: Promise<unknown> = Promise.resolve();
  /** What is sent before the next statement: a part that asks for nothing costs nothing. */
  private owed: Query[] = [];
  /** How deep in parts the work is. */
  private depth = 0;

  constructor(
    private readonly connection: Connection,
    knex: Knex,
    database: string,
  ) {
    super(knex, database);
  }

  atomically<T>(work: (sql: SqlRunner) => Promise<T>): Promise<T> {
    return work(this);
  }

  /** Runs the work and commits, or rolls back and throws the work's own error. */
  async complete<T>(work: (sql: SqlRunner, attempt: Attempt) => Promise<T>): Promise<T> {
    this.dispatch(begin, isNever).catch(noOp);
    try {
      const result = await work(this, (part) => this.attempt(part));
      await this.end();
      return result;
    } catch (error) {
      await this.rollBack();
      throw error;
    } finally {
      this.over = true;
    }
  }

  /** The same for work that asks for everything at once: what is asked for later is refused. */
  async completeTogether<T>(work: (sql: SqlRunner) => Promise<T>): Promise<T> {
    this.dispatch(begin, isNever).catch(noOp);
    const asked = new Promise((resolve) => {
      // By then all is said that needs no answer.
      process.nextTick(() => {
        this.over = true;
        resolve(undefined);
      });
    });
    try {
      const [result] = await Promise.all([promised(() => work(this)), asked]);
      await this.end();
      return result;
    } catch (error) {
      await asked;
      await this.rollBack();
      throw error;
    }
  }

  /** Does a part of the work, and undoes what it did if it throws. */
  private async attempt<T>(part: () => Promise<T>): Promise<T> {
    if (this.failure !== undefined) throw this.failure;
    this.depth += 1;
    const begun = savepoint(this.depth);
    const undo = undoPart(this.depth);
    this.owed.push(begun);
    try {
      const result = await part();
      await this.last.catch(noOp);
      if (this.failure !== undefined) throw this.failure;
      this.endPart(begun, []);
      return result;
    } catch (error) {
      await this.last.catch(noOp);
      if (!this.conflicted && !endsTransaction(this.failure)) {
        this.failure = undefined;
        this.endPart(begun, [undo]);
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

  protected send<Row>(query: Query, isAnswer: (error: unknown) => boolean): Promise<SqlResult<Row>> {
    if (this.over) return Promise.reject(new ServiceError(799, { detail: "The transaction is over." }));
    return this.dispatch(query, isAnswer);
  }

  /** Commits when all is answered, unless something has failed. */
  private async end(): Promise<void> {
    await this.last.catch(noOp);
    if (this.failure !== undefined) throw this.failure;
    await this.dispatch(commit, isNever);
  }

  private async rollBack(): Promise<void> {
    await this.last.catch(noOp);
    await runOn(this.connection, rollback).catch((reason: unknown) => {
      this.connection.__knex__disposed = reason;
    });
  }

  /** What comes after a failure is not sent: a deadlock has ended the transaction, and it would be kept on its own. */
  private dispatch<Row>(query: Query, isAnswer: (error: unknown) => boolean): Promise<SqlResult<Row>> {
    const owed = this.owed;
    this.owed = [];
    for (const each of owed) this.dispatchOne(each, isNever).catch(noOp);
    return this.dispatchOne(query, isAnswer);
  }

  private dispatchOne<Row>(query: Query, isAnswer: (error: unknown) => boolean): Promise<SqlResult<Row>> {
    const answer = this.last.catch(noOp).then(async () => {
      if (this.failure !== undefined) throw this.failure;
      try {
        return await runOn<Row>(this.connection, query);
      } catch (error) {
        if (isAnswer(error)) return nothing;
        this.failure = error;
        throw error;
      }
    });
    this.last = answer;
    return answer;
  }
}

function noOp(): void {}

/** The work's own promise, also where it throws at once. */
async function promised<T>(work: () => Promise<T>): Promise<T> {
  return work();
}
