import { setTimeout as delay } from "node:timers/promises";
import { type AttributeIndex, type IndexReport, ServiceError } from "@sallyport/storage";
import type { Knex } from "knex";
import { type Connection, dismiss, type Run, runnerOf, withConnection } from "./connection.ts";
import { Lease, LostLease } from "./leases.ts";
import { isAmongNumbers } from "./object-row.ts";
import type { Tables } from "./tables.ts";
import {
  columnTypeOf,
  contentOf,
  indexKey,
  keyOf,
  listedColumns,
  listedIndexes,
  nameOf,
  type ValueColumn,
  type ValueColumns,
  valuePrefix,
} from "./value-columns.ts";

/** A table has at most 64 indexes. The objects table itself uses four. */
export const maxValueIndexes = 60;

/** Seconds that a table change waits for users of the table while others queue behind it, and the number of attempts. */
const waitTimeout = 2;
const attempts = 10;

/** Milliseconds between two table changes, so that a transaction that lost against one can be retried before the next. */
const pauseBetweenParts = 100;

/** Indexes per table change, which reads the table once for all of them. A builder can stop between two changes. */
const indexesPerStatement = 8;

/** Rows per transaction that fills new columns. Writers wait for no more than one of them. */
const rowsPerPart = 500;

/** The current state and the changes to make. */
interface Plan {
  readonly useless: readonly AttributeIndex[];
  readonly missing: readonly AttributeIndex[];
  /** The listed columns of declared indexes. */
  readonly unchanged: readonly ListedColumn[];
  /** The contents of the columns to add. */
  readonly added: readonly Omit<ValueColumn, "number">[];
  /** Names of other columns of the table, and numbers of other listed columns. */
  readonly dropped: { readonly names: readonly string[]; readonly numbers: readonly number[] };
}

interface ListedColumn extends ValueColumn {
  readonly ready: number;
}

/**
 * Builds and drops value indexes of one database while writers continue. An index covers a column, by class and value,
 * and serves all classes that list the attribute. A new column is added empty, then writers fill it with each write,
 * and the builder fills it in the other rows before it is indexed and used. A lease prevents concurrent builds.
 */
export class IndexBuilder {
  private stopped = false;
  private building: Connection | undefined;

  constructor(
    private readonly knex: Knex,
    private readonly tables: Tables,
    private readonly valueColumns: ValueColumns,
  ) {}

  align(all: readonly AttributeIndex[]): Promise<IndexReport | "busy"> {
    const declared = withinLimit(all);
    const lease = new Lease(this.knex, this.tables, "indexes");
    return withConnection(this.knex, async (connection) => {
      const run = runnerOf(connection);
      const plan = await this.plan(run, declared);
      // Another process can have changed the columns.
      this.valueColumns.invalidate();
      if (isDone(plan)) return { built: [], removed: 0 };
      try {
        if (!(await lease.take(run))) return "busy";
        this.building = connection;
        return await this.build(lease.guard(run), declared);
      } finally {
        this.building = undefined;
        this.valueColumns.invalidate();
        dismiss(connection, "The index build has ended.");
      }
    }).finally(() => (this.stopped ? lease.abandon() : lease.end()));
  }

  /**
   * Stops the build. The database completes the current index, and the next run finds it. Until then, the lease keeps
   * other builders away.
   */
  stop(): void {
    this.stopped = true;
    this.building?.stream.destroy();
  }

  private async build(run: Run, declared: readonly AttributeIndex[]): Promise<IndexReport> {
    await run(`set max_statement_time = 0, lock_wait_timeout = ${waitTimeout}`);
    const { useless, missing, unchanged, added, dropped } = await this.plan(run, declared);
    const { valueIndexes } = this.tables;
    const listed = "class = ? and attribute = ? and type = ?";
    for (const index of useless) await run(`delete from ${valueIndexes} where ${listed}`, valuesOf(index));
    await this.drop(run, dropped);
    const filled = unchanged.filter(({ ready }) => ready === 1);
    const unfilled = [...unchanged.filter(({ ready }) => ready !== 1), ...(await this.list(run, added))];
    await this.add(run, unfilled);
    await this.fill(run, unfilled);
    const built: AttributeIndex[] = [];
    const buildFor = async (columns: readonly ValueColumn[]) => {
      const keys = new Set(columns.map(keyOf));
      for (const index of missing.filter((each) => keys.has(keyOf(declaredColumn(each))))) {
        await run(`insert into ${valueIndexes} (class, attribute, type) values (?, ?, ?)`, valuesOf(index));
        built.push(index);
      }
    };
    await buildFor(filled);
    for (let first = 0; first < unfilled.length && !this.stopped; first += indexesPerStatement) {
      const part = unfilled.slice(first, first + indexesPerStatement);
      await this.index(run, part);
      await buildFor(part);
    }
    return { built, removed: useless.length };
  }

  private async plan(run: Run, declared: readonly AttributeIndex[]): Promise<Plan> {
    const { rows: indexes } = await run<AttributeIndex>(listedIndexes(this.tables));
    const { rows: columns } = await run<ListedColumn>(listedColumns(this.tables).replace(" from", ", ready from"));
    const { rows: present } = await run<{ name: string }>(
      `select column_name as name from information_schema.columns where table_schema = ? and table_name = 'objects' and column_name like '${valuePrefix}%'`,
      [this.tables.database],
    );
    const [listed, keys] = [new Set(indexes.map(indexKey)), new Set(declared.map(indexKey))];
    const contents = new Map(declared.map(declaredColumn).map((column) => [keyOf(column), column]));
    const unchanged = columns.filter((column) => contents.has(keyOf(column)));
    const [keptNames, keptKeys] = [new Set(unchanged.map(nameOf)), new Set(unchanged.map(keyOf))];
    return {
      useless: indexes.filter((index) => !keys.has(indexKey(index))),
      missing: declared.filter((index) => !listed.has(indexKey(index))),
      unchanged,
      added: [...contents.values()].filter((column) => !keptKeys.has(keyOf(column))),
      dropped: {
        names: present.map(({ name }) => name).filter((name) => !keptNames.has(name)),
        numbers: columns.filter((column) => !keptNames.has(nameOf(column))).map(({ number }) => number),
      },
    };
  }

  /** Lists new columns, which gives them their numbers. */
  private async list(run: Run, added: Plan["added"]): Promise<ValueColumn[]> {
    const columns: ValueColumn[] = [];
    for (const column of added) {
      const { attribute, type, expression } = column;
      const { rows } = await run<{ number: number }>(
        `insert into ${this.tables.valueColumns} (attribute, type, expression) values (?, ?, ?) returning number`,
        [attribute, type, expression],
      );
      columns.push({ ...column, number: Number(rows[0]?.number) });
    }
    return columns;
  }

  /** Adds columns to the table. From then on writers fill them. */
  private async add(run: Run, columns: readonly ValueColumn[]): Promise<void> {
    if (columns.length === 0) return;
    const definitions = columns.map((column) => `add column if not exists ${nameOf(column)} ${columnTypeOf(column)}`);
    await this.alter(run, definitions);
    await this.announce(run);
  }

  /** Fills columns in all rows. */
  private async fill(run: Run, columns: readonly ValueColumn[]): Promise<void> {
    const { objects, objectSeries } = this.tables;
    const values = columns.map((column) => `${nameOf(column)} = ${column.expression}`).join(", ");
    for (let after = 0; columns.length > 0 && !this.stopped; ) {
      const { rows } = await run<{ last: number | null }>(
        `select max(oid) as last from (select oid from ${objects} where oid > ${after} order by oid limit ${rowsPerPart}) part`,
      );
      const last = rows[0]?.last ?? null;
      if (last === null) return;
      await this.attempt(async () => {
        try {
          await run("start transaction");
          // As writers do, so that none of them meets another order of locks.
          await run(`select stamp from ${objectSeries} for update`);
          await run(`update ${objects} set ${values} where oid > ${after} and oid <= ${last}`);
          await run("commit");
        } catch (error) {
          await run("rollback");
          throw error;
        }
      });
      after = Number(last);
    }
  }

  /** Indexes filled columns. From then on queries use them. */
  private async index(run: Run, columns: readonly ValueColumn[]): Promise<void> {
    const names = columns.map(nameOf);
    await this.alter(
      run,
      names.map((name) => `add index if not exists ${name} (class, ${name})`),
    );
    if (!this.stopped)
      await run(
        `update ${this.tables.valueColumns} set ready = true where ${isAmongNumbers(
          "number",
          columns.map(({ number }) => number),
        )}`,
      );
  }

  /** Queries of other processes use a column until it is gone, so writers fill it until then. */
  private async drop(run: Run, { names, numbers }: Plan["dropped"]): Promise<void> {
    const { valueColumns } = this.tables;
    const listed = isAmongNumbers("number", numbers);
    await run(`update ${valueColumns} set ready = false where ${listed}`);
    for (const what of ["index", "column"])
      await this.alter(
        run,
        names.map((name) => `drop ${what} if exists ${name}`),
      );
    if (this.stopped || numbers.length === 0) return;
    await run(`delete from ${valueColumns} where ${listed}`);
    await this.announce(run);
  }

  /** Makes writers read the list of columns again. */
  private async announce(run: Run): Promise<void> {
    await this.attempt(() => run(`update ${this.tables.objectSeries} set value_generation = value_generation + 1`));
  }

  /** Makes all changes in one statement, which must not stop writers. It waits until the table is unused, and new users of the table wait behind it. So it gives up early and retries. */
  private async alter(run: Run, changes: readonly string[]): Promise<void> {
    if (changes.length === 0) return;
    await this.attempt(async () => {
      await run(`alter table ${this.tables.objects} ${changes.join(", ")}, lock = none`);
      await delay(pauseBetweenParts);
    });
  }

  /** Retries what has waited too long for other users. */
  private async attempt(work: () => Promise<unknown>): Promise<void> {
    for (let attempt = 1; !this.stopped; attempt += 1) {
      try {
        await work();
        return;
      } catch (error) {
        const isOver = attempt === attempts || error instanceof LostLease;
        if (isOver || !(error instanceof ServiceError) || error.code !== 706) throw error;
      }
      await delay(1_000);
    }
  }
}

function isDone({ useless, missing, unchanged, added, dropped }: Plan): boolean {
  return (
    useless.length + missing.length + added.length + dropped.names.length + dropped.numbers.length === 0 &&
    unchanged.every(({ ready }) => ready === 1)
  );
}

/** The first declared indexes, up to the limit. Those of one attribute and type share one database index. */
function withinLimit(declared: readonly AttributeIndex[]): AttributeIndex[] {
  const keys = new Set<string>();
  return declared.filter((index) => {
    const key = keyOf(declaredColumn(index));
    if (keys.size < maxValueIndexes) keys.add(key);
    return keys.has(key);
  });
}

function declaredColumn({ attribute, type }: AttributeIndex): Omit<ValueColumn, "number"> {
  return { attribute, type, expression: contentOf(attribute, type) };
}

function valuesOf({ className, attribute, type }: AttributeIndex): string[] {
  return [className, attribute, type];
}
