import { ServiceError } from "@sallyport/core";
import type { Knex } from "knex";
import type { SqlResult, SqlRunner, SqlValue } from "../../sql-runner.ts";
import type { Statement } from "../../statement.ts";
import { positionalQuery, type Query } from "./connection.ts";
import { isDuplicate } from "./mariadb-error.ts";

/** Makes queries of what repositories send; where they go is for those who extend it. */
export abstract class QueryRunner implements SqlRunner {
  constructor(
    protected readonly knex: Knex,
    protected readonly database: string,
  ) {}

  async run<Row>({ text, unlessKnown }: Statement, values: readonly SqlValue[]): Promise<SqlResult<Row>> {
    return this.send<Row>(positionalQuery(text, values), unlessKnown === true ? isKnown : isNever);
  }

  runOnce<Row>(text: string, values: readonly SqlValue[]): Promise<SqlResult<Row>> {
    return this.send({ ...positionalQuery(text, values), plain: true }, isNever);
  }

  build<Row>(query: Knex.QueryBuilder): Promise<SqlResult<Row>> {
    const { sql, bindings } = query.toSQL().toNative();
    return this.send({ sql, values: bindings }, isNever);
  }

  table(name: string): Knex.QueryBuilder {
    return this.knex.withSchema(this.database).from(name);
  }

  abstract atomically<T>(work: (sql: SqlRunner) => Promise<T>): Promise<T>;

  /** Errors of which `isAnswer` says so are the answer that nothing was done. */
  protected abstract send<Row>(query: Query, isAnswer: (error: unknown) => boolean): Promise<SqlResult<Row>>;
}

function isKnown(error: unknown): boolean {
  return error instanceof ServiceError && isDuplicate(error.cause);
}

/** Of a statement all of whose errors are failures. */
export function isNever(): boolean {
  return false;
}

/** What a statement answers that has done nothing. */
export const nothing: SqlResult<never> = { rows: [], rowCount: 0 };
