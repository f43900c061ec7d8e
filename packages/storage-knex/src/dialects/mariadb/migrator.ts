import { builtInClasses, type ClassDefinition, type MigrationReport, ServiceError } from "@sallyport/storage";
import type { Knex } from "knex";
import { type Numbered, pendingMigrations, type SqlMigration } from "../../schema.ts";
import { dismiss, retried, type Run, runnerOf, withConnection } from "./connection.ts";
import { Lease, leasesTable } from "./leases.ts";
import type { Tables } from "./tables.ts";

/** Seconds that a migration waits for another one. */
const waitTimeout = 3_600;

/** The oldest supported server version. */
const oldestVersion = [10, 6] as const;

/** Migrates one database, one process at a time. */
export class Migrator {
  constructor(
    private readonly knex: Knex,
    private readonly tables: Tables,
    private readonly migrations: readonly Migration[],
    /** The classes of a new database. */
    private readonly classes: readonly ClassDefinition[] = builtInClasses,
  ) {}

  migrate(): Promise<MigrationReport> {
    const lease = new Lease(this.knex, this.tables, "migrations");
    return withConnection(this.knex, async (connection) => {
      // Each statement can be repeated. On a cluster, a schema change of another node can end one.
      const run = retried(runnerOf(connection));
      // A large table takes an unknown time. The connection, and these settings with it, end after the migration.
      await run("set max_statement_time = 0, innodb_lock_wait_timeout = 3600, lock_wait_timeout = 3600");
      try {
        await this.prepare(run);
        if (!(await lease.take(run, waitTimeout)))
          throw new ServiceError(706, { detail: "Another process is migrating the database." });
        return { applied: await this.apply(lease.guard(run)) };
      } finally {
        dismiss(connection, "The migration has ended.");
      }
    }).finally(() => lease.end());
  }

  private async apply(run: Run): Promise<string[]> {
    const { rows } = await run<Required<Numbered>>(`select name, number from ${this.tables.migrations}`);
    const applied: string[] = [];
    for (const { name, number = 1, statements } of pendingMigrations(this.migrations, rows)) {
      for (const query of statements(this.tables, this.classes))
        await (typeof query === "string" ? run(query) : run(query.sql, query.values));
      await run(
        `insert into ${this.tables.migrations} (name, number) values (?, ?)
        on duplicate key update number = value(number), applied_at = now(6)`,
        [name, number],
      );
      applied.push(name);
    }
    return applied;
  }

  /** Creates the database and the first tables unless they exist: the account can lack the privilege to create them. */
  private async prepare(run: Run): Promise<void> {
    const { database } = this.tables;
    const { rows: servers } = await run<{ version: string }>("select version() as version");
    if (!isNewEnough(servers[0]?.version ?? ""))
      throw new ServiceError(705, { detail: `MariaDB ${oldestVersion.join(".")} or newer is required.` });
    const { rows } = await run<{ collation: string }>(
      "select default_collation_name as collation from information_schema.schemata where schema_name = ?",
      [database],
    );
    if (rows.length === 0) await run(`create database if not exists \`${database}\` ${collation}`);
    else if (rows[0]?.collation !== "utf8mb4_nopad_bin") await run(`alter database \`${database}\` ${collation}`);
    const { rows: first } = await run(
      "select 1 from information_schema.tables where table_schema = ? and table_name in ('leases', 'migrations')",
      [database],
    );
    const [leases, rowsOfLeases] = leasesTable(this.tables);
    if (first.length < 2) for (const table of [leases, migrationsTable(this.tables)]) await run(table);
    await run(rowsOfLeases);
  }
}

/** Variables of procedures inherit the database's collation. */
const collation = "character set utf8mb4 collate utf8mb4_nopad_bin";

/** The list of migrations, created before all of them. */
export function migrationsTable({ migrations }: Tables): string {
  return `create table if not exists ${migrations} (
      name varchar(100) primary key,
      number integer not null default 1,
      applied_at datetime(6) not null default (now(6))
    ) engine = InnoDB row_format = dynamic ${collation}`;
}

function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = (/^(\d+)\.(\d+)\..*MariaDB/.exec(version)?.slice(1) ?? []).map(Number);
  return major > oldestVersion[0] || (major === oldestVersion[0] && minor >= oldestVersion[1]);
}

/**
 * The engine commits each schema change at once, so an interrupted migration leaves a part behind. Each statement must
 * be safe to repeat.
 */
export type Migration = SqlMigration<Tables, { readonly sql: string; readonly values: readonly unknown[] }>;

/** A procedure, replaced under its name. */
export type Functions = Migration & Required<Numbered>;

/**
 * An atomic procedure. It joins an open transaction or runs its own. After an abort, such as a statement time-out, the
 * connection must not be used again. The body is a block named `work`, which can declare variables and be left.
 */
export function procedure(name: string, parameters: string, body: string): string {
  return `create or replace procedure ${name} (${parameters})
  modifies sql data sql security invoker
  begin
    declare alone boolean default not @@in_transaction;
    declare exit handler for sqlexception
    begin
      if alone then rollback; end if;
      resignal;
    end;
    if alone then start transaction; end if;
    work: begin
      ${body}
    end work;
    if alone then commit; end if;
  end`;
}

/** SQLSTATEs that procedures raise. `sql-errors.ts` maps them. */
type Refusal =
  | "SP302"
  | "SP304"
  | "SP306"
  | "SP307"
  | "SP315"
  | "SP318"
  | "SP610"
  | "SP713"
  | "SPLCK"
  | "SPMOD"
  | "SPUID";

/** A statement that raises a refusal. */
export function raise(refusal: Refusal, message: string): string {
  return `signal sqlstate '${refusal}' set message_text = '${message}'`;
}
