import type { RowDataPacket } from "mysql2";
import type { RealMariadb } from "./mariadb.ts";

/** The data to reset a database to its state after the migrations. */
interface Migrated {
  /** Fingerprint of its tables, triggers and procedures. */
  readonly structure: string;
  readonly reset: string;
  /** The database with the rows that the migrations insert. */
  readonly initial: string;
}

/**
 * Databases for the checks of the conformance kit, each used by one check at a time. Migrating a database takes longer
 * than most checks. A migrated database is reset and reused, unless a check has changed its tables.
 */
export class DatabasePool {
  private readonly free: string[] = [];
  private readonly migrated = new Map<string, Migrated>();

  constructor(
    private readonly server: RealMariadb,
    private readonly migrate: (database: string) => Promise<void>,
  ) {}

  /** The name of a database: freshly migrated, or not yet created. */
  async acquire({ migrated }: { readonly migrated: boolean }): Promise<string> {
    const name = (migrated ? this.free.pop() : undefined) ?? this.server.freshName();
    if (migrated && !this.migrated.has(name)) this.migrated.set(name, await this.prepare(name));
    return name;
  }

  /** Returns a database to the pool. */
  async release(name: string): Promise<void> {
    const migrated = this.migrated.get(name);
    if (migrated !== undefined && (await this.structureOf(name)) === migrated.structure) {
      await this.server.admin.query(migrated.reset);
      this.free.push(name);
    } else {
      this.migrated.delete(name);
      await this.server.admin.query(
        [name, migrated?.initial]
          .flatMap((each) => each ?? [])
          .map((each) => `drop database if exists ${each};`)
          .join(" "),
      );
    }
  }

  private async prepare(name: string): Promise<Migrated> {
    await this.migrate(name);
    const structure = await this.structureOf(name);
    const initial = this.server.freshName();
    await this.server.admin.query(`create database ${initial}`);
    const tables = await this.rows<{ name: string }>(
      "select table_name as name from information_schema.tables where table_schema = ? and table_type = 'BASE TABLE'",
      [name],
    );
    const sequences = await this.rows<{ name: string }>(
      "select table_name as name from information_schema.tables where table_schema = ? and table_type = 'SEQUENCE'",
      [name],
    );
    const filled: string[] = [];
    for (const table of tables) {
      if ((await this.rows(`select 1 from ${name}.${table.name} limit 1`, [])).length === 0) continue;
      const columns = await this.rows<{ name: string }>(
        "select column_name as name from information_schema.columns where table_schema = ? and table_name = ? and is_generated = 'NEVER'",
        [name, table.name],
      );
      const listed = columns.map((column) => `\`${column.name}\``).join(", ");
      await this.server.admin.query(
        `create table ${initial}.${table.name} as select ${listed} from ${name}.${table.name}`,
      );
      filled.push(`insert into ${name}.${table.name} (${listed}) select ${listed} from ${initial}.${table.name}`);
    }
    const reset = [
      "set foreign_key_checks = 0",
      "start transaction",
      ...tables.map((table) => `delete from ${name}.${table.name}`),
      ...filled,
      "commit",
      "set foreign_key_checks = 1",
      ...sequences.map((sequence) => `alter sequence ${name}.${sequence.name} restart nocache`),
    ];
    return { structure, reset: reset.join(";\n"), initial };
  }

  private async structureOf(name: string): Promise<string> {
    const parts = await Promise.all([
      this.rows(
        "select table_name, column_name, column_type from information_schema.columns where table_schema = ? order by 1, 2",
        [name],
      ),
      this.rows(
        "select table_name, index_name, column_name from information_schema.statistics where table_schema = ? order by 1, 2, 3",
        [name],
      ),
      this.rows("select trigger_name from information_schema.triggers where trigger_schema = ? order by 1", [name]),
      this.rows(
        "select routine_name, last_altered from information_schema.routines where routine_schema = ? order by 1",
        [name],
      ),
    ]);
    return JSON.stringify(parts);
  }

  private async rows<Row>(text: string, values: string[]): Promise<Row[]> {
    const [rows] = await this.server.admin.query<RowDataPacket[]>(text, values);
    return rows as Row[];
  }
}
