import type { AttributeIndex, IndexReport } from "@sallyport/core";
import type { Knex } from "knex";
import { type Connection, runOn, withConnection } from "./connection.ts";
import type { Tables } from "./tables.ts";
import {
  existingIndexes,
  existingStatistics,
  type ValueIndex,
  type ValueSupport,
  valueIndex,
  valueStatistics,
} from "./index-expression.ts";

interface Plan {
  /** Names of unwanted and of invalid indexes. */
  readonly uselessIndexes: readonly string[];
  readonly uselessStatistics: readonly string[];
  readonly missingIndexes: readonly ValueIndex[];
  readonly missingStatistics: readonly ValueSupport[];
}

/**
 * Builds and drops the value indexes of one schema. With several sessions, it builds them concurrently: writers
 * continue, and an aborted build leaves an invalid index that the next run drops. An advisory lock prevents concurrent
 * builds. It is only tried, because a concurrent index build would wait for a waiting statement.
 */
export class IndexBuilder {
  private stopped = false;
  private building: Connection | undefined;

  constructor(
    private readonly knex: Knex,
    private readonly tables: Tables,
    private readonly concurrent: boolean,
  ) {}

  align(wanted: readonly AttributeIndex[]): Promise<IndexReport | "busy"> {
    return withConnection(this.knex, async (connection) => {
      const plan = await this.plan(connection, wanted);
      if (Object.values(plan).every((part: readonly unknown[]) => part.length === 0)) return { built: [], removed: 0 };
      if (!(await this.lock(connection))) return "busy";
      try {
        this.building = connection;
        return await this.build(connection, wanted);
      } finally {
        this.building = undefined;
        await this.unlock(connection);
      }
    });
  }

  /**
   * Stops the build. The database completes the current index, and the next run finds it. An engine with one session
   * completes it first.
   */
  stop(): void {
    this.stopped = true;
    if (this.concurrent) this.building?.connection?.stream.destroy();
  }

  private async build(connection: Connection, wanted: readonly AttributeIndex[]): Promise<IndexReport> {
    const run = async (text: string): Promise<void> => {
      if (!this.stopped) await runOn(connection, { text, untimed: true });
    };
    const how = this.concurrent ? "concurrently " : "";
    const named = (name: string) => `"${this.tables.schema}"."${name}"`;
    await run("set statement_timeout = 0");
    // Another process can have changed the indexes just now.
    const plan = await this.plan(connection, wanted);
    for (const name of plan.uselessIndexes) await run(`drop index ${how}if exists ${named(name)}`);
    for (const name of plan.uselessStatistics) await run(`drop statistics if exists ${named(name)}`);
    for (const { name, definition } of plan.missingStatistics)
      await run(`create statistics ${named(name)} on ${definition}`);
    const built: AttributeIndex[] = [];
    for (const { name, definition, index } of plan.missingIndexes) {
      if (this.stopped) break;
      await run(`create index ${how}"${name}" on ${definition}`);
      // For readers of the database schema.
      await run(`comment on index ${named(name)} is '${index.className}.${index.attribute}'`);
      built.push(index);
    }
    if (plan.missingStatistics.length > 0) await run(`analyze ${this.tables.objects}`);
    return { built, removed: plan.uselessIndexes.length };
  }

  private async plan(connection: Connection, wanted: readonly AttributeIndex[]): Promise<Plan> {
    const [indexes, statistics] = await Promise.all([
      runOn<{ name: string; valid: boolean }>(connection, { text: existingIndexes(this.tables) }),
      runOn<{ name: string }>(connection, { text: existingStatistics(this.tables) }),
    ]);
    const ready = new Set(indexes.rows.filter(({ valid }) => valid).map(({ name }) => name));
    const known = new Set(statistics.rows.map(({ name }) => name));
    const wantedIndexes = new Map(
      wanted.map((index) => valueIndex(this.tables, index)).map((each) => [each.name, each]),
    );
    const wantedStatistics = new Map(
      wanted.map((index) => valueStatistics(this.tables, index)).map((each) => [each.name, each]),
    );
    return {
      uselessIndexes: indexes.rows
        .map(({ name }) => name)
        .filter((name) => !ready.has(name) || !wantedIndexes.has(name)),
      uselessStatistics: [...known].filter((name) => !wantedStatistics.has(name)),
      missingIndexes: [...wantedIndexes.values()].filter(({ name }) => !ready.has(name)),
      missingStatistics: [...wantedStatistics.values()].filter(({ name }) => !known.has(name)),
    };
  }

  private async lock(connection: Connection): Promise<boolean> {
    const text = "select pg_try_advisory_lock(hashtextextended($1, 0)) as locked";
    const { rows } = await runOn<{ locked: boolean }>(connection, { text, values: [this.lockName] });
    return rows[0]?.locked === true;
  }

  /** Restores the connection. If that fails, the connection is discarded, and the lock ends with it. */
  private async unlock(connection: Connection): Promise<void> {
    try {
      await runOn(connection, { text: "reset statement_timeout" });
      await runOn(connection, { text: "select pg_advisory_unlock(hashtextextended($1, 0))", values: [this.lockName] });
    } catch (error) {
      connection.__knex__disposed = error;
    }
  }

  private get lockName(): string {
    return `sallyport:${this.tables.schema}:indexes`;
  }
}
