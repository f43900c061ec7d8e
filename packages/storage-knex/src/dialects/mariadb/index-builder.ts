import { setTimeout as delay } from "node:timers/promises";
import { type AttributeIndex, type IndexReport, ServiceError } from "@sallyport/core";
import type { Knex } from "knex";
import { type Connection, dismiss, type Run, runnerOf, withConnection } from "./connection.ts";
import { Lease, LostLease } from "./leases.ts";
import type { Tables } from "./tables.ts";
import {
  indexKey,
  listedIndexes,
  valueColumn,
  valueColumnDefinition,
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

/** The current state and the changes to make. */
interface Plan {
  readonly useless: readonly AttributeIndex[];
  readonly missing: readonly AttributeIndex[];
  /** Names of columns and indexes. */
  readonly columns: ReadonlySet<string>;
  readonly indexes: ReadonlySet<string>;
}

/**
 * Builds and drops value indexes of one database while writers continue. An index covers a virtual column, by class and
 * value, and serves all classes that list the attribute. A lease prevents concurrent builds.
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
    const wanted = withinLimit(all);
    const lease = new Lease(this.knex, this.tables, "indexes");
    return withConnection(this.knex, async (connection) => {
      const run = runnerOf(connection);
      const { useless, missing, columns } = await this.plan(run, wanted);
      if (useless.length === 0 && missing.length === 0 && columns.size === columnsOf(wanted).size) {
        this.valueColumns.cache(wanted);
        return { built: [], removed: 0 };
      }
      try {
        if (!(await lease.take(run))) return "busy";
        this.building = connection;
        return await this.build(lease.guard(run), wanted);
      } finally {
        this.building = undefined;
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

  private async build(run: Run, wanted: readonly AttributeIndex[]): Promise<IndexReport> {
    await run(`set max_statement_time = 0, lock_wait_timeout = ${waitTimeout}`);
    const { useless, missing, columns, indexes } = await this.plan(run, wanted);
    const { valueIndexes } = this.tables;
    const listed = "class = ? and attribute = ? and type = ?";
    for (const index of useless) await run(`delete from ${valueIndexes} where ${listed}`, valuesOf(index));
    this.valueColumns.cache(wanted.filter((index) => !missing.includes(index)));
    const names = columnsOf(wanted);
    await this.drop(
      run,
      [...columns].filter((name) => !names.has(name)),
      indexes,
    );
    const built: AttributeIndex[] = [];
    await this.addColumns(
      run,
      missing.filter((index) => !columns.has(valueColumn(index))),
    );
    for (let first = 0; first < missing.length && !this.stopped; first += indexesPerStatement) {
      const part = missing.slice(first, first + indexesPerStatement);
      await this.addIndexes(run, part, indexes);
      for (const index of part)
        await run(`insert into ${valueIndexes} (class, attribute, type) values (?, ?, ?)`, valuesOf(index));
      built.push(...part);
    }
    this.valueColumns.cache(wanted.filter((index) => built.includes(index) || !missing.includes(index)));
    return { built, removed: useless.length };
  }

  private async plan(run: Run, wanted: readonly AttributeIndex[]): Promise<Plan> {
    const { database } = this.tables;
    const named = (of: string, name: string) =>
      `select distinct ${name} as name from information_schema.${of} where table_schema = ? and table_name = 'objects' and ${name} like '${valuePrefix}%'`;
    const { rows: listed } = await run<AttributeIndex>(listedIndexes(this.tables));
    const columns = await run<{ name: string }>(named("columns", "column_name"), [database]);
    const indexes = await run<{ name: string }>(named("statistics", "index_name"), [database]);
    const ready = new Set(listed.map(indexKey));
    const wantedKeys = new Set(wanted.map(indexKey));
    return {
      useless: listed.filter((index) => !wantedKeys.has(indexKey(index))),
      missing: wanted.filter((index) => !ready.has(indexKey(index))),
      columns: new Set(columns.rows.map(({ name }) => name)),
      indexes: new Set(indexes.rows.map(({ name }) => name)),
    };
  }

  private async addColumns(run: Run, missing: readonly AttributeIndex[]): Promise<void> {
    const definitions = new Map(
      missing.map((index) => [valueColumn(index), valueColumnDefinition(index.attribute, index.type)]),
    );
    await this.alter(
      run,
      Array.from(definitions, ([name, definition]) => `add column if not exists ${name} ${definition}`),
      "algorithm = instant",
    );
  }

  private async addIndexes(run: Run, missing: readonly AttributeIndex[], there: ReadonlySet<string>): Promise<void> {
    const names = [...columnsOf(missing)].filter((name) => !there.has(name));
    await this.alter(
      run,
      names.map((name) => `add index if not exists ${name} (class, ${name})`),
      "algorithm = nocopy, lock = none",
    );
  }

  private async drop(run: Run, names: readonly string[], indexes: ReadonlySet<string>): Promise<void> {
    await this.alter(
      run,
      names.filter((name) => indexes.has(name)).map((name) => `drop index if exists ${name}`),
      "algorithm = nocopy, lock = none",
    );
    await this.alter(
      run,
      names.map((name) => `drop column if exists ${name}`),
      "algorithm = instant",
    );
  }

  /** Makes all changes in one statement. It waits until the table is unused, and new users of the table wait behind it. So it gives up early and retries. */
  private async alter(run: Run, changes: readonly string[], how: string): Promise<void> {
    if (changes.length === 0) return;
    for (let attempt = 1; !this.stopped; attempt += 1) {
      try {
        await run(`alter table ${this.tables.objects} ${changes.join(", ")}, ${how}`);
        await delay(pauseBetweenParts);
        return;
      } catch (error) {
        const isOver = attempt === attempts || error instanceof LostLease;
        if (isOver || !(error instanceof ServiceError) || error.code !== 706) throw error;
      }
      await delay(1_000);
    }
  }
}

/** The first wanted indexes, up to the limit. Those of one attribute and type share one database index. */
function withinLimit(wanted: readonly AttributeIndex[]): AttributeIndex[] {
  const names = new Set<string>();
  return wanted.filter((index) => {
    const name = valueColumn(index);
    if (names.size < maxValueIndexes) names.add(name);
    return names.has(name);
  });
}

function columnsOf(wanted: readonly AttributeIndex[]): Set<string> {
  return new Set(wanted.map(valueColumn));
}

function valuesOf({ className, attribute, type }: AttributeIndex): string[] {
  return [className, attribute, type];
}
