import { setTimeout as delay } from "node:timers/promises";
import { builtInClasses, type ClassDefinition, type MigrationReport, ServiceError } from "@sallyport/storage";
import type { Knex } from "knex";
import { type Numbered, pendingMigrations, type SqlMigration } from "../../schema.ts";
import { type Connection, type Query, rollBack, type Run, runnerOf, withConnection } from "./connection.ts";
import { isConflict, isLockTimeout } from "./postgres-error.ts";
import { migrationLock } from "./server-facts.ts";
import { movedAway, noticeTable } from "./move-notice.ts";
import type { Tables } from "./tables.ts";

/** Milliseconds. While a table change waits for its lock, all other users of the table queue behind it. */
interface MigrationTimeouts {
  readonly lockTimeout: number;
  /** Between two attempts to get the locks. */
  readonly pause: number;
}

interface MigratorOptions {
  /** The classes of a new database. Default: the built-in ones. */
  readonly classes?: readonly ClassDefinition[];
  readonly timeouts?: MigrationTimeouts;
  /** How the names of schemas begin that a new one takes over: they have all tables and no content. Default: none. */
  readonly preparedSchemas?: string | undefined;
  /** Runs after the last migration, even if none was applied; in a transaction, one process at a time. */
  readonly finish?: (run: Run) => Promise<void>;
}

const defaultTimeouts: MigrationTimeouts = { lockTimeout: 2_000, pause: 500 };
const lockAttempts = 100;

/** Migrates one schema. Other processes can use it or migrate it at the same time. */
export class Migrator {
  private readonly timeouts: MigrationTimeouts;
  private readonly classes: readonly ClassDefinition[];
  private readonly finish: (run: Run) => Promise<void>;
  private readonly preparedSchemas: string | undefined;

  constructor(
    private readonly knex: Knex,
    private readonly tables: Tables,
    private readonly migrations: readonly Migration[],
    {
      timeouts = defaultTimeouts,
      classes = builtInClasses,
      finish = async () => {},
      preparedSchemas,
    }: MigratorOptions = {},
  ) {
    this.preparedSchemas = preparedSchemas;
    this.classes = classes;
    this.timeouts = timeouts;
    this.finish = finish;
  }

  async migrate(): Promise<MigrationReport> {
    const applied: string[] = [];
    for (let attempt = 1; ; ) {
      try {
        const names = await withConnection(this.knex, (connection) => this.step(connection));
        if (names.length === 0) return { applied };
        applied.push(...names);
        attempt = 1;
      } catch (error) {
        if (!lostLocks(error) || attempt === lockAttempts) throw error;
        attempt += 1;
        await delay(this.timeouts.pause);
      }
    }
  }

  /** Applies the next migration in its own transaction, or those of a prepared schema. Returns no name after the last one. */
  private async step(connection: Connection): Promise<readonly string[]> {
    const run = runnerOf(connection);
    await run({ text: "begin isolation level read committed" });
    try {
      await run({ text: "set local statement_timeout = 0" });
      await run({ text: "set local lock_timeout = 0" });
      await lockMigrations(run, this.tables);
      const taken = await this.prepare(run);
      if (taken.length > 0) {
        await run({ text: "commit" });
        return taken;
      }
      const { rows } = await run<Required<Numbered>>({ text: `select name, number from ${this.tables.migrations}` });
      const [next] = pendingMigrations(this.migrations, rows);
      await run({ text: `set local lock_timeout = ${this.timeouts.lockTimeout}` });
      if (next === undefined) {
        await this.finish(run);
      } else {
        await this.apply(run, next);
      }
      await run({ text: "commit" });
      return next === undefined ? [] : [next.name];
    } catch (error) {
      await rollBack(connection);
      throw error;
    }
  }

  private async apply(run: Run, { name, number = 1, statements }: Migration): Promise<void> {
    for (const query of statements(this.tables, this.classes))
      await run(typeof query === "string" ? { text: query } : query);
    await run({
      text: `insert into ${this.tables.migrations} (name, number) values ($1, $2)
        on conflict (name) do update set number = excluded.number, applied_at = excluded.applied_at`,
      values: [name, number],
    });
  }

  /**
   * Creates the schema and the migrations table unless they exist: the role can lack the privilege to create them. Returns
   * the migrations that a prepared schema brings.
   */
  private async prepare(run: Run): Promise<readonly string[]> {
    const { schema, migrations } = this.tables;
    const { rows } = await run<{ encoding: string; schema: boolean; migrations: boolean; moved: boolean }>({
      text: `select current_setting('server_encoding') as encoding,
        exists (select from pg_namespace where nspname = $1) as schema,
        to_regclass($2) is not null as migrations, to_regclass($3) is not null as moved`,
      values: [schema, migrations, noticeTable(this.tables)],
    });
    const [state] = rows;
    // A move holds the lock while it takes the tables away.
    if (state?.moved === true) throw movedAway();
    if (state?.encoding !== "UTF8")
      throw new ServiceError(705, { detail: "The database must have the encoding UTF8." });
    if (state.migrations) return [];
    if (!state.schema) {
      const taken = await this.takeOver(run);
      if (taken.length > 0) return taken;
      await run({ text: `create schema "${schema}"` });
    }
    await run({ text: migrationsTable(this.tables) });
    return [];
  }

  /**
   * Gives a prepared schema the name and the classes of this one. Tables, indexes and triggers follow the name; functions
   * contain it, so they are installed again, by later steps if the schema lacks migrations. Returns the migrations that it
   * then has; none without a prepared schema.
   */
  private async takeOver(run: Run): Promise<readonly string[]> {
    if (this.preparedSchemas === undefined) return [];
    const { schema, migrations } = this.tables;
    const { rows } = await run<{ name: string }>({
      text: "select nspname as name from pg_namespace where starts_with(nspname::text, $1) order by nspname limit 1",
      values: [this.preparedSchemas],
    });
    const [prepared] = rows;
    if (prepared === undefined) return [];
    await run({ text: `alter schema "${prepared.name}" rename to "${schema}"` });
    const functions = this.migrations.filter(({ number }) => number !== undefined);
    const names = functions.map(({ name }) => name);
    await run({ text: `delete from ${migrations} where name = any($1)`, values: [names] });
    await run(insertedClasses(this.tables, this.classes));
    const { rows: applied } = await run<{ name: string }>({
      text: `update ${migrations} set applied_at = statement_timestamp() returning name`,
    });
    const brought = applied.map(({ name }) => name);
    // Functions need the tables of all migrations.
    if (brought.length + functions.length < this.migrations.length) return brought;
    for (const each of functions) await this.apply(run, each);
    return [...brought, ...names];
  }
}

/** Waits for other processes that migrate or recover the schema, until the transaction ends. */
export async function lockMigrations(run: Run, { schema }: Tables): Promise<void> {
  const text = "select pg_advisory_xact_lock(hashtextextended($1, 0))";
  await run({ text, values: [migrationLock(schema)] });
}

/** The list of migrations, created before all of them. */
export function migrationsTable({ migrations }: Tables): string {
  return `create table ${migrations} (
      name text collate "C" primary key,
      number integer not null default 1,
      applied_at timestamptz not null default statement_timestamp()
    )`;
}

/** The statement that gives a new database its classes. The migration that does it has a text of its own, since it never changes. */
function insertedClasses({ classes: table }: Pick<Tables, "classes">, classes: readonly ClassDefinition[]): Query {
  return {
    text: `insert into ${table} (name, definition)
        select definition ->> 'name', definition
        from jsonb_array_elements($1::jsonb) with ordinality as given (definition, position)
        order by position`,
    values: [JSON.stringify(classes)],
  };
}

/** Whether users of the tables kept a migration from its locks: it waited too long, or ended a deadlock with them. */
function lostLocks(error: unknown): boolean {
  return error instanceof ServiceError && (isLockTimeout(error.cause) || isConflict(error.cause));
}

/** The statements run in one transaction. */
export type Migration = SqlMigration<Tables, Query>;

/** A function, replaced under its name. */
export type Functions = Migration & Required<Numbered>;
