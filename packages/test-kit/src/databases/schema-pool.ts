import { randomBytes } from "node:crypto";

/** Runs one or more SQL statements. Returns the rows of the last statement that returns rows. */
export type RunSql = <Row>(text: string) => Promise<Row[]>;

/** The data to reset a schema to its state after the migrations. */
interface Migrated {
  /** Fingerprint of the catalogue rows of the schema. Changes with every change of a table or a function. */
  readonly structure: string;
  readonly reset: string;
  uses: number;
}

/** Deleted rows take up space until a vacuum. */
const maxUses = 50;

/**
 * Schemas for the checks of the conformance kit, each used by one check at a time. Migrating and dropping a schema
 * takes longer than most checks. A migrated schema is reset and reused, unless a check has changed its tables.
 */
export class SchemaPool {
  private readonly free: string[] = [];
  private readonly migrated = new Map<string, Migrated>();

  constructor(
    private readonly run: RunSql,
    private readonly migrate: (schema: string) => Promise<void>,
  ) {}

  /** The name of a schema: freshly migrated, or not yet created. */
  async acquire({ migrated }: { readonly migrated: boolean }): Promise<string> {
    const name = (migrated ? this.free.pop() : undefined) ?? `check_${randomBytes(6).toString("hex")}`;
    if (migrated && !this.migrated.has(name)) this.migrated.set(name, await this.prepare(name));
    return name;
  }

  /** Returns a schema to the pool. */
  async release(name: string): Promise<void> {
    const migrated = this.migrated.get(name);
    if (
      migrated !== undefined &&
      (migrated.uses += 1) < maxUses &&
      (await this.structureOf(name)) === migrated.structure
    ) {
      await this.run(migrated.reset);
      this.free.push(name);
    } else {
      this.migrated.delete(name);
      await this.run(`drop schema if exists ${name} cascade; drop schema if exists ${name}_initial cascade`);
    }
  }

  private async prepare(name: string): Promise<Migrated> {
    await this.migrate(name);
    await this.run(`create schema ${name}_initial`);
    const structure = await this.structureOf(name);
    // Newest first: a table is newer than the tables it references.
    const tables = await this.run<{ name: string }>(
      `select relname as name from pg_class where relnamespace = '${name}'::regnamespace and relkind = 'r' order by oid desc`,
    );
    const sequences = await this.run<{ id: number; start: string }>(
      `select seqrelid::int as id, seqstart as start from pg_sequence join pg_class c on c.oid = seqrelid where c.relnamespace = '${name}'::regnamespace`,
    );
    const filled: string[] = [];
    for (const table of tables) {
      const rows = await this.run(`select from ${name}.${table.name} limit 1`);
      if (rows.length === 0) continue;
      filled.push(table.name);
      await this.run(`create table ${name}_initial.${table.name} as table ${name}.${table.name}`);
    }
    const deletions = tables.map((table) => `delete from ${name}.${table.name}`);
    const reset = [
      "begin",
      // Twice: triggers may write to tables that are already empty.
      ...deletions,
      ...deletions,
      ...filled
        .toReversed()
        .map((table) => `insert into ${name}.${table} overriding system value table ${name}_initial.${table}`),
      ...sequences.map(({ id, start }) => `select setval(${id}::regclass, ${start}, false)`),
      "commit",
    ];
    return { structure, reset: reset.join(";\n"), uses: 0 };
  }

  private async structureOf(name: string): Promise<string> {
    const schema = `'${name}'::regnamespace`;
    const [row] = await this.run<{ structure: string }>(`
      with parts as (
        select xmin from pg_class where relnamespace = ${schema}
        union all select xmin from pg_proc where pronamespace = ${schema}
        union all select xmin from pg_constraint where connamespace = ${schema}
        union all select a.xmin from pg_attribute a join pg_class c on c.oid = a.attrelid where c.relnamespace = ${schema}
        union all select t.xmin from pg_trigger t join pg_class c on c.oid = t.tgrelid where c.relnamespace = ${schema}
      )
      select count(*) || ' ' || sum(xmin::text::numeric) as structure from parts`);
    if (row === undefined) throw new Error("The catalogue says nothing.");
    return row.structure;
  }
}
