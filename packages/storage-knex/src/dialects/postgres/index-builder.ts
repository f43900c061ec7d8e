import { randomUUID } from "node:crypto";
import { type AttributeIndex, type IndexReport, ServiceError } from "@sallyport/storage";
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

/** Seconds for which the lease of a builder holds without renewal. */
const leaseTime = 30;

/**
 * Builds and drops the value indexes of one schema. With several sessions, it builds them concurrently: writers
 * continue, and an aborted build leaves an invalid index that the next run drops. A lease prevents two builders at once,
 * which would wait for each other: a record, because a pooler keeps no lock of a session. The lease is renewed before
 * each index. The progress of the server shows one that takes longer, even if its builder is gone.
 */
export class IndexBuilder {
  private stopped = false;
  private building: Connection | undefined;

  constructor(
    private readonly knex: Knex,
    private readonly tables: Tables,
    private readonly concurrent: boolean,
  ) {}

  align(declared: readonly AttributeIndex[]): Promise<IndexReport | "busy"> {
    const builder = randomUUID();
    let leased = false;
    return withConnection(this.knex, async (connection) => {
      const plan = await this.plan(connection, declared);
      if (Object.values(plan).every((part: readonly unknown[]) => part.length === 0)) return { built: [], removed: 0 };
      leased = await this.lease(connection, builder);
      if (!leased) return "busy";
      try {
        this.building = connection;
        return await this.build(connection, declared, () => this.lease(connection, builder));
      } catch (error) {
        throw (await this.isCut(error, connection)) ? tooShort(error) : error;
      } finally {
        this.building = undefined;
        await this.resetTimeout(connection);
      }
    }).finally(() => (leased ? this.endLease(builder) : undefined));
  }

  /**
   * Stops the build. The database completes the current index, and the next run finds it. An engine with one session
   * completes it first.
   */
  stop(): void {
    this.stopped = true;
    if (this.concurrent) this.building?.connection?.stream.destroy();
  }

  /** @param renew renews the lease; `false` if it is lost */
  private async build(
    connection: Connection,
    declared: readonly AttributeIndex[],
    renew: () => Promise<boolean>,
  ): Promise<IndexReport> {
    const run = async (text: string): Promise<void> => {
      if (!this.stopped) await runOn(connection, { text, untimed: true });
    };
    const how = this.concurrent ? "concurrently " : "";
    const named = (name: string) => `"${this.tables.schema}"."${name}"`;
    // Behind a pooler, the next statement could run in another session, and this one could serve others.
    if (connection.pooler === undefined) await run("set statement_timeout = 0");
    // Another process can have changed the indexes just now.
    const plan = await this.plan(connection, declared);
    let removed = 0;
    for (const name of plan.uselessIndexes) {
      if (this.stopped || !(await renew())) break;
      await run(`drop index ${how}if exists ${named(name)}`);
      removed += 1;
    }
    for (const name of plan.uselessStatistics) await run(`drop statistics if exists ${named(name)}`);
    for (const { name, definition } of plan.missingStatistics)
      await run(`create statistics ${named(name)} on ${definition}`);
    const built: AttributeIndex[] = [];
    for (const { name, definition, index } of plan.missingIndexes) {
      if (this.stopped || !(await renew())) break;
      await run(`create index ${how}"${name}" on ${definition}`);
      // For readers of the database schema.
      await run(`comment on index ${named(name)} is '${index.className}.${index.attribute}'`);
      built.push(index);
    }
    if (plan.missingStatistics.length > 0) await run(`analyze ${this.tables.objects}`);
    return { built, removed };
  }

  private async plan(connection: Connection, declared: readonly AttributeIndex[]): Promise<Plan> {
    const [indexes, statistics] = await Promise.all([
      runOn<{ name: string; valid: boolean }>(connection, { text: existingIndexes(this.tables) }),
      runOn<{ name: string }>(connection, { text: existingStatistics(this.tables) }),
    ]);
    const ready = new Set(indexes.rows.filter(({ valid }) => valid).map(({ name }) => name));
    const existing = new Set(statistics.rows.map(({ name }) => name));
    const declaredIndexes = new Map(
      declared.map((index) => valueIndex(this.tables, index)).map((each) => [each.name, each]),
    );
    const declaredStatistics = new Map(
      declared.map((index) => valueStatistics(this.tables, index)).map((each) => [each.name, each]),
    );
    return {
      uselessIndexes: indexes.rows
        .map(({ name }) => name)
        .filter((name) => !ready.has(name) || !declaredIndexes.has(name)),
      uselessStatistics: [...existing].filter((name) => !declaredStatistics.has(name)),
      missingIndexes: [...declaredIndexes.values()].filter(({ name }) => !ready.has(name)),
      missingStatistics: [...declaredStatistics.values()].filter(({ name }) => !existing.has(name)),
    };
  }

  /** Takes or renews the lease. `false` while another builder holds it, or an index is being built. */
  private async lease(connection: Connection, builder: string): Promise<boolean> {
    if (!this.concurrent) return true;
    const { records, recordVersions, objects } = this.tables;
    const text = `insert into ${records} as held (kind, id, value, version, born, created_at, expires_at)
      select '${leaseKind}', '', to_json($1::text), number, number, statement_timestamp(), statement_timestamp() + interval '${leaseTime} s'
      from (select nextval('${recordVersions}') as number) next
      where not exists (select from pg_stat_progress_create_index where relid = '${objects}'::regclass)
      on conflict (kind, id) do update
        set value = excluded.value, version = excluded.version, expires_at = excluded.expires_at
        where held.expires_at <= statement_timestamp() or held.value::text = excluded.value::text`;
    return (await runOn(connection, { text, values: [builder] })).rowCount === 1;
  }

  /** Ends the own lease, on any connection. If that fails, the lease expires. */
  private async endLease(builder: string): Promise<void> {
    if (!this.concurrent) return;
    const text = `delete from ${this.tables.records} where kind = '${leaseKind}' and id = '' and value::text = to_json($1::text)::text`;
    await withConnection(this.knex, (connection) => runOn(connection, { text, values: [builder] })).catch(() => {});
  }

  /** Whether the time limit of the role ended a build behind a pooler. */
  private async isCut(error: unknown, connection: Connection): Promise<boolean> {
    const cause = error instanceof ServiceError ? (error.cause as { readonly code?: unknown } | undefined) : undefined;
    if (connection.pooler === undefined || cause?.code !== "57014") return false;
    const text = "select current_setting('statement_timeout')::interval > '0' as limited";
    return (await runOn<{ limited: boolean }>(connection, { text })).rows[0]?.limited === true;
  }

  /** Restores the connection, or discards it. */
  private async resetTimeout(connection: Connection): Promise<void> {
    if (connection.pooler !== undefined) return;
    await runOn(connection, { text: "reset statement_timeout" }).catch((error: unknown) => {
      connection.__knex__disposed = error;
    });
  }
}

/** The kind of the record that is the lease. It has one, without an id. */
const leaseKind = "indexLease";

function tooShort(cause: unknown): ServiceError {
  const remedy = 'Run "sallyport-server migrate" on a connection without a pooler.';
  const detail = `The statement_timeout of the role is too short to build an index behind a pooler. ${remedy}`;
  return new ServiceError(799, { cause, detail });
}
