import { type ArchiveRecord, contradictingRecords, type RecordOf } from "@sallyport/core";
import type { SqlRunner } from "../../../sql-runner.ts";
import type { Tables } from "../tables.ts";
import { writeSeries, writeSettings } from "./archived-settings.ts";
import { unnumbered } from "./archived-records.ts";
import type { ArchivedTable } from "./archived-table.ts";
import type { ArchivedTables } from "./archived-tables.ts";
import { RowWriter } from "./row-writer.ts";

/** Fills an empty database inside of a transaction. */
export async function fillDatabase(
  sql: SqlRunner,
  tables: Tables,
  sections: ArchivedTables,
  records: AsyncIterable<ArchiveRecord>,
): Promise<void> {
  // Built-in classes are there already.
  await sql.runOnce(`delete from ${tables.classes}`, []);
  const settings = await writeRecords(sql, tables, sections, records);
  await refuseContradictions(sql, tables);
  await countObjects(sql, tables);
  await numberRecords(sql, tables);
  if (settings !== undefined) await writeSeries(sql, tables, settings);
}

/** Writes the records as they come; gives the settings among them. */
async function writeRecords(
  sql: SqlRunner,
  tables: Tables,
  sections: ArchivedTables,
  records: AsyncIterable<ArchiveRecord>,
): Promise<RecordOf<"settings"> | undefined> {
  let settings: RecordOf<"settings"> | undefined;
  let writer: RowWriter | undefined;
  let current: string | undefined;
  for await (const record of records) {
    if (record.section === "settings") {
      settings = record;
      await writeSettings(sql, tables, record);
      continue;
    }
    const section = sections[record.section] as ArchivedTable<typeof record.section>;
    if (record.section !== current) {
      await writer?.flush();
      current = record.section;
      writer = new RowWriter(sql, section.table, section.columns);
    }
    await writer?.add(section.rowsOf(record));
  }
  await writer?.flush();
  return settings;
}

/** Ids and UUIDs are given once, whether their object is there or gone; each table by itself has an index for that. */
async function refuseContradictions(sql: SqlRunner, { departures, objects }: Tables): Promise<void> {
  for (const column of ["oid", "uuid"]) {
    const { rows } = await sql.runOnce(
      `select 1 from ${departures} d join ${objects} o on o.${column} = d.${column} limit 1`,
      [],
    );
    if (rows.length > 0) throw contradictingRecords();
  }
}

async function numberRecords(sql: SqlRunner, { records, recordVersions }: Tables): Promise<void> {
  // In the order in which they stand: what comes second sees what was assigned first.
  await sql.runOnce(
    `update ${records} set version = nextval(${recordVersions}), born = version where version = ${unnumbered}`,
    [],
  );
}

async function countObjects(sql: SqlRunner, { objectCounts, objects }: Tables): Promise<void> {
  await sql.runOnce(`delete from ${objectCounts}`, []);
  await sql.runOnce(
    `insert into ${objectCounts} (class, objects) select class, count(*) from ${objects} where not restricted group by class`,
    [],
  );
}
