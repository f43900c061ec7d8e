import { OutdatedModelError, type Writing } from "@sallyport/storage";
import { isUndone, type NestedPart, type SqlRunner, statement } from "../../../sql-runner.ts";
import { isUnknownColumn } from "../mariadb-error.ts";
import { epochMilliseconds, storageTime } from "../expressions.ts";
import type { Tables } from "../tables.ts";
import type { Contents, ValueColumns } from "../value-columns.ts";

/** The counters of writers. */
interface Series {
  /** The last issued stamp. */
  readonly stamp: number;
  /** The number of the last object. */
  readonly number: number;
}

interface SeriesRow extends Series {
  /** Rises with every change of the value columns. */
  readonly generation: number;
}

/** The stamps of transactions that have written, with the nested transaction that took each. */
const stamps = new WeakMap<SqlRunner, { readonly stamp: number; readonly takenIn: NestedPart | null }>();

/**
 * The write lock of a transaction. Writers of objects, object locks and model changes are serialized: each locks the
 * row of the series from its first such operation to its end. So stamps follow the order of commits, and objects that a
 * writer reads stay unchanged until it writes.
 */
export class WriteLock {
  private constructor(
    private readonly sql: SqlRunner,
    private readonly context: ObjectContext,
    private series: Series,
    private readonly valueGeneration: number,
    /** The storage's clock when the lock was last taken, milliseconds since 1970. */
    readonly now: number,
  ) {}

  /** Waits for other writers. Throws `OutdatedModelError` for an outdated model. */
  static async take(
    sql: SqlRunner,
    context: ObjectContext,
    { modelGeneration }: Pick<Writing, "modelGeneration"> = {},
  ): Promise<WriteLock> {
    const { statements, offset } = context;
    const { rows } = await sql.run<SeriesRow>(statements.lockSeries);
    const [last] = rows as [SeriesRow];
    const series = { stamp: Number(last.stamp), number: Number(last.number) };
    // A separate statement sees the commits of the writers before it.
    const moment = await sql.run<{ generation: number; now: number }>(statements.moment, [offset()]);
    const [{ generation, now }] = moment.rows as [{ generation: number; now: number }];
    if (modelGeneration !== undefined && modelGeneration !== Number(generation)) throw new OutdatedModelError();
    return new WriteLock(sql, context, series, Number(last.generation), Number(now));
  }

  /** The stamp of all writes of the transaction. */
  async stamp(): Promise<number> {
    return stampOf(this.sql) ?? (await this.count(0)).stamp;
  }

  /** Reserves numbers for this many new objects, and the stamp. Returns the first one. */
  async numbers(count: number): Promise<number> {
    const first = this.series.number + 1;
    await this.count(count);
    return first;
  }

  /** Writes rows of objects with the columns to fill, as expressions by name. */
  async writeValues(write: (computed: Contents) => Promise<void>): Promise<void> {
    const { columns } = this.context;
    try {
      await write(await columns.at(this.valueGeneration, this.sql));
    } catch (error) {
      // A builder that failed can have dropped a column without a word.
      if (isUnknownColumn(error)) columns.invalidate();
      throw error;
    }
  }

  private async count(objects: number): Promise<Series> {
    const stamp = stampOf(this.sql) ?? this.series.stamp + 1;
    this.series = { stamp, number: this.series.number + objects };
    await this.sql.runOnce(this.context.statements.count(stamp, this.series.number));
    if (stampOf(this.sql) === undefined) stamps.set(this.sql, { stamp, takenIn: this.sql.nested });
    return this.series;
  }
}

/**
 * The stamp of a transaction; `undefined` if it has not written. A stamp of a nested transaction that was rolled back may
 * belong to another writer by now: if the nested transaction was the first work, the server has released the series.
 */
export function stampOf(sql: SqlRunner): number | undefined {
  const { stamp, takenIn = null } = stamps.get(sql) ?? {};
  return takenIn !== null && isUndone(takenIn) ? undefined : stamp;
}

/** The shared parts of the object repositories of one database. */
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
    /** Returns the last `stamp` and `number` and the `generation` of the value columns, and locks their row until the transaction ends. Rolled-back numbers count. */
    lockSeries: statement(
      "writing_take_turn",
      `select stamp, greatest(number, (select next_not_cached_value - 1 from ${objectNumbers})) as number, value_generation as generation from ${objectSeries} for update`,
    ),
    /** 1 clock offset. Returns `generation` and `now`. */
    moment: statement(
      "writing_moment",
      `select model_generation as generation, ${epochMilliseconds(storageTime(1))} as now from ${settings}`,
    ),
    /** Stores the last stamp and object number. As literals: a sequence value cannot be a parameter. */
    count: (stamp: number, number: number) =>
      `update ${objectSeries} set stamp = ${stamp}, number = coalesce(setval(${objectNumbers}, ${number}), ${number})`,
  };
}
