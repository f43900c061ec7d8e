import { OutdatedModelError, type Writing } from "@sallyport/core";
import type { SqlRunner } from "../../../sql-runner.ts";
import { statement } from "../../../statement.ts";
import { epochMilliseconds, storageTime } from "../statements/storage-time.ts";
import type { Tables } from "../tables.ts";
import type { ValueColumns } from "../value-columns.ts";

/** What is counted for those who write. */
interface Series {
  /** The last stamp that was given out. */
  readonly stamp: number;
  /** The number of the last object. */
  readonly number: number;
}

/** The stamps of transactions that have written. */
const stamps = new WeakMap<SqlRunner, number>();

/**
 * A transaction's turn to write objects. Those who write objects, lock them, or change the model, take turns: each has the row
 * of the series from its first such act until it has ended. So the order of stamps is that in which transactions end,
 * and what one of them finds out about objects is still so when it writes.
 */
export class WriteLock {
  private constructor(
    private readonly sql: SqlRunner,
    private readonly statements: WritingStatements,
    private series: Series,
    /** The storage's clock when the turn was taken or asked for again, milliseconds since 1970. */
    readonly now: number,
  ) {}

  /** Waits for those who have the turn. Under an outdated model: `OutdatedModelError`. */
  static async take(
    sql: SqlRunner,
    statements: WritingStatements,
    offset: number,
    { modelGeneration }: Pick<Writing, "modelGeneration"> = {},
  ): Promise<WriteLock> {
    const { rows } = await sql.run<Series>(statements.takeTurn);
    const [series] = rows as [Series];
    // What is read in a statement of its own is what those have left who were waited for.
    const moment = await sql.run<{ generation: number; now: number }>(statements.moment, [offset]);
    const [{ generation, now }] = moment.rows as [{ generation: number; now: number }];
    if (modelGeneration !== undefined && modelGeneration !== Number(generation)) throw new OutdatedModelError();
    return new WriteLock(sql, statements, { stamp: Number(series.stamp), number: Number(series.number) }, Number(now));
  }

  /** The stamp of all that the transaction writes; counted again if the part that counted it was undone. */
  async stamp(): Promise<number> {
    const { stamp } = this.series;
    return stamps.get(this.sql) === stamp ? stamp : (await this.count(0)).stamp;
  }

  /** Takes numbers for so many new objects; the first of them, and the stamp. */
  async numbers(count: number): Promise<{ readonly first: number; readonly stamp: number }> {
    const first = this.series.number + 1;
    return { first, stamp: (await this.count(count)).stamp };
  }

  private async count(objects: number): Promise<Series> {
    const stamp = stamps.get(this.sql) ?? this.series.stamp + 1;
    this.series = { stamp, number: this.series.number + objects };
    await this.sql.runOnce(this.statements.count(stamp, this.series.number));
    stamps.set(this.sql, stamp);
    return this.series;
  }
}

/** The stamp of a transaction, if it has written. */
export function stampOf(sql: SqlRunner): number | undefined {
  return stamps.get(sql);
}

/** What the repositories of objects share in one database. */
export interface ObjectContext {
  readonly tables: Tables;
  readonly statements: WritingStatements;
  readonly columns: ValueColumns;
  /** Milliseconds by which the storage's clock is ahead of the server's. */
  readonly offset: () => number;
}

type WritingStatements = ReturnType<typeof writingStatements>;

export function writingStatements({ objectNumbers, objectSeries, settings }: Tables) {
  return {
    /** Gives `stamp` and `number`, the last of each, and keeps them until the transaction ends. Numbers that were taken back count. */
    takeTurn: statement(
      "writing_take_turn",
      `select stamp, greatest(number, (select next_not_cached_value - 1 from ${objectNumbers})) as number from ${objectSeries} for update`,
    ),
    /** 1 offset of the clock. Gives `generation` and `now`. */
    moment: statement(
      "writing_moment",
      `select model_generation as generation, ${epochMilliseconds(storageTime(1))} as now from ${settings}`,
    ),
    /** Keeps the last stamp and the number of the last object. As text: the number of a sequence cannot be a parameter. */
    count: (stamp: number, number: number) =>
      `update ${objectSeries} set stamp = ${stamp}, number = coalesce(setval(${objectNumbers}, ${number}), ${number})`,
  };
}
