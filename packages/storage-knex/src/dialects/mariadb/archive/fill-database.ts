import { type ArchiveRecord, inconsistentRecords, type RecordOf } from "@sallyport/storage";
import { type SectionWriter, writeRecords } from "../../../archived-records.ts";
import { insertRows, type SqlRunner, type SqlValue } from "../../../sql-runner.ts";
import type { Tables } from "../tables.ts";
import { type Contents, contentsIn } from "../value-columns.ts";
import type { ArchivedTables, WrittenTable } from "./archived-tables.ts";

/** The version of a record until all versions are assigned. */
export const unnumbered = 0;

/** Fills an empty database within a transaction. */
export async function fillDatabase(
  sql: SqlRunner,
  tables: Tables,
  sections: ArchivedTables,
  records: AsyncIterable<ArchiveRecord>,
): Promise<void> {
  const contents = await contentsIn(sql, tables);
  // The built-in classes exist already.
  await sql.runOnce(`delete from ${tables.classes}`);
  const settings = await writeRecords(
    records,
    (each) => writeSettings(sql, tables, each),
    (section) => new RowWriter(sql, sections[section], section === "objects" ? contents : new Map()),
  );
  await refuseInconsistentRecords(sql, tables);
  await countObjects(sql, tables);
  await numberRecords(sql, tables);
  if (settings !== undefined) await writeSeries(sql, tables, settings);
}

/** Ids and UUIDs are unique across objects, tombstones and swept objects. The unique indexes cover only one table each. */
async function refuseInconsistentRecords(sql: SqlRunner, { tombstones, objects, sweptObjects }: Tables): Promise<void> {
  for (const column of ["oid", "uuid"]) {
    for (const [one, other] of [
      [tombstones, objects],
      [sweptObjects, objects],
      [sweptObjects, tombstones],
    ]) {
      const { rows } = await sql.runOnce(`select 1 from ${one} d join ${other} o on o.${column} = d.${column} limit 1`);
      if (rows.length > 0) throw inconsistentRecords();
    }
  }
}

async function numberRecords(sql: SqlRunner, { records, recordVersions }: Tables): Promise<void> {
  // Assigned from left to right: `born` sees the new `version`.
  await sql.runOnce(
    `update ${records} set version = nextval(${recordVersions}), born = version where version = ${unnumbered}`,
  );
}

async function countObjects(sql: SqlRunner, { objectCounts, objects }: Tables): Promise<void> {
  await sql.runOnce(`delete from ${objectCounts}`);
  await sql.runOnce(
    `insert into ${objectCounts} (class, objects) select class, count(*) from ${objects} where not restricted group by class`,
  );
}

async function writeSettings(
  sql: SqlRunner,
  { settings }: Tables,
  { maintenance, modelGeneration, macroGeneration, lastAudit, sweptStamp }: RecordOf<"settings">,
): Promise<void> {
  const changes = "maintenance = $1, model_generation = $2, macro_generation = $3, last_audit = $4, swept_stamp = $5";
  const values = [maintenance, modelGeneration, macroGeneration, lastAudit, sweptStamp];
  await sql.runOnce(`update ${settings} set ${changes}`, values);
}

/** Continues the series behind the highest numbers and stamps ever issued. */
async function writeSeries(
  sql: SqlRunner,
  { audit, tombstones, objectSeries, objects, sweptObjects }: Tables,
  { lastObject, lastAudit, sweptStamp }: RecordOf<"settings">,
): Promise<void> {
  const highest = (column: string) =>
    `coalesce((select max(${column}) from ${objects}), 0), coalesce((select max(${column}) from ${tombstones}), 0)`;
  await sql.runOnce(
    `update ${objectSeries} set number = greatest($1, ${highest("oid")}, coalesce((select max(oid) from ${sweptObjects}), 0)),
      stamp = greatest(stamp, $2, ${highest("stamp")})`,
    [lastObject, sweptStamp],
  );
  if (lastAudit === 0) return;
  const { rows } = await sql.runOnce(`select 1 from ${audit} where sequence >= $1 limit 1`, [lastAudit]);
  if (rows.length > 0) return;
  for (const text of usingUp(audit, lastAudit)) await sql.runOnce(text);
}

/** Auto-increment continues behind the highest number ever inserted, even if that row is deleted or rolled back. */
export function usingUp(audit: string, number: number): readonly string[] {
  return [
    `insert into ${audit} (sequence, at, type, request_id, outcome, app_key_id, address, app_names) values (${number}, now(6), '', '', 0, '', '', '[]')`,
    `delete from ${audit} where sequence = ${number}`,
  ];
}

/** Limits of the write buffer. */
const maxRows = 500;
const maxCharacters = 1_048_576;

/** Inserts rows of one table in batches. */
class RowWriter implements SectionWriter {
  private rows: (readonly SqlValue[])[] = [];
  private characters = 0;

  constructor(
    private readonly sql: SqlRunner,
    private readonly table: WrittenTable,
    private readonly computed: Contents,
  ) {}

  add(record: ArchiveRecord): Promise<void> | undefined {
    for (const row of this.table.rowsOf(record)) {
      this.rows.push(row);
      this.characters += row.reduce<number>((sum, value) => sum + (typeof value === "string" ? value.length : 8), 0);
    }
    return this.rows.length >= maxRows || this.characters >= maxCharacters ? this.end() : undefined;
  }

  async end(): Promise<void> {
    const rows = this.rows;
    this.rows = [];
    this.characters = 0;
    const { table, columns } = this.table;
    await insertRows(this.sql, table, columns, rows, { computed: this.computed });
  }
}
