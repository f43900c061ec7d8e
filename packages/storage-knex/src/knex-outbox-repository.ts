import {
  acceptStorable,
  type MailHindrance,
  type OutboxEntry,
  type OutboxRepository,
  ServiceError,
  type WaitingMail,
} from "@sallyport/core";
import type { SqlRunner, SqlValue } from "./sql-runner.ts";
import type { Statement } from "./statement.ts";

export class KnexOutboxRepository implements OutboxRepository {
  constructor(
    private readonly sql: SqlRunner,
    private readonly statements: OutboxStatements,
    private readonly offset: () => number,
  ) {}

  async put(
    sealedOrder: string,
    { lifetime, limit }: { readonly lifetime: number; readonly limit: number },
  ): Promise<void> {
    acceptStorable(sealedOrder);
    const added = await this.sql.atomically(async (sql) => {
      // What is counted in a statement of its own is what those have left who were waited for.
      const holding = sql.run(this.statements.hold, []);
      const putting = sql.run(this.statements.put, [sealedOrder, lifetime, limit, this.offset()]);
      const [, { rowCount }] = await Promise.all([holding, putting]);
      return rowCount;
    });
    if (added === 0) throw new ServiceError(706, { detail: "Too much mail waits." });
  }

  claim(limit: number, lease: number): Promise<OutboxEntry[]> {
    return this.sql.atomically(async (sql) => {
      const { rows } = await sql.run<OutboxRow>(this.statements.due, [limit, this.offset()]);
      if (rows.length === 0) return [];
      await sql.run(this.statements.take, [rows.map(({ id }) => Number(id)), lease, this.offset()]);
      return rows.map(({ id, sealed_order, attempts, age }) => ({
        id: Number(id),
        sealedOrder: sealed_order,
        attempts: Number(attempts) + 1,
        age: Number(age),
      }));
    });
  }

  async replace(id: number, attempts: number, sealedOrder: string): Promise<boolean> {
    acceptStorable(sealedOrder);
    return this.change(this.statements.replace, [id, attempts, sealedOrder]);
  }

  done(id: number, attempts: number): Promise<boolean> {
    return this.change(this.statements.done, [id, attempts]);
  }

  postpone(id: number, attempts: number, delay: number, blame: MailHindrance): Promise<boolean> {
    return this.change(this.statements.postpone, [id, attempts, delay, blame === "transport", this.offset()]);
  }

  async waiting(): Promise<WaitingMail> {
    const { rows } = await this.sql.run<WaitingRow>(this.statements.waiting, [this.offset()]);
    const { count, oldest, stuck } = rows[0] as WaitingRow;
    return { count: Number(count), oldest: Number(oldest), stuck: Number(stuck) };
  }

  async sweep(limit: number): Promise<number> {
    const { rowCount } = await this.sql.run(this.statements.sweep, [limit, this.offset()]);
    return rowCount;
  }

  private async change(statement: Statement, values: readonly SqlValue[]): Promise<boolean> {
    const { rowCount } = await this.sql.run(statement, values);
    return rowCount === 1;
  }
}

export interface OutboxStatements {
  /** Until the transaction ends, nobody else puts in an order. */
  readonly hold: Statement;
  /** 1 order, 2 lifetime, 3 limit, 4 offset of the clock. Adds a row unless the limit is reached. */
  readonly put: Statement;
  /** 1 limit, 2 offset of the clock. Holds those that are due and that nobody holds. */
  readonly due: Statement;
  /** 1 array of ids, 2 lease, 3 offset of the clock. */
  readonly take: Statement;
  /** 1 id, 2 attempts, 3 order. */
  readonly replace: Statement;
  /** 1 id, 2 attempts. */
  readonly done: Statement;
  /** 1 id, 2 attempts, 3 delay, 4 whether the transport is to blame, 5 offset of the clock. */
  readonly postpone: Statement;
  /** 1 offset of the clock. Gives `count`, and `oldest` and `stuck` in milliseconds. */
  readonly waiting: Statement;
  /** 1 limit, 2 offset of the clock. */
  readonly sweep: Statement;
}

interface OutboxRow {
  readonly id: string;
  readonly sealed_order: string;
  readonly attempts: number;
  readonly age: string;
}

interface WaitingRow {
  readonly count: string;
  readonly oldest: string;
  readonly stuck: string;
}
