import { type ArchiveRecord, contradictingRecords, type RecordOf } from "@sallyport/core";
import { raiseStamps } from "../migrations/raise-stamps.ts";
import type { Run } from "../migrations/migrator.ts";
import type { Tables } from "../tables.ts";
import { writeSequences, writeSettings } from "./archived-settings.ts";
import type { ArchivedTables } from "./archived-tables.ts";
import { RowWriter } from "./row-writer.ts";

/** Fills an empty database inside of a transaction. Everything that an archive can hold is held against other writers. */
export async function fillDatabase(
  run: Run,
  tables: Tables,
  sections: ArchivedTables,
  records: AsyncIterable<ArchiveRecord>,
): Promise<void> {
  const { departures, objects } = tables;
  for (const table of [objects, departures]) await run({ text: `alter table ${table} disable trigger user` });
  await run({ text: `delete from ${tables.classes}` });
  const settings = await writeRecords(run, tables, sections, records);
  await refuseContradictions(run, tables);
  await countObjects(run, tables);
  for (const table of [objects, departures]) await run({ text: `alter table ${table} enable trigger user` });
  await raiseStamps(run, tables);
  // Nobody else would do it in the embedded engine, and on a server it could take minutes until somebody does.
  await run({ text: `analyze ${[objects, tables.links, departures, tables.accounts, tables.audit].join(", ")}` });
  if (settings !== undefined) await writeSequences(run, tables, settings);
}

/** Writes the records as they come; gives the settings among them. */
async function writeRecords(
  run: Run,
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
      await writeSettings(run, tables, record);
      continue;
    }
    if (record.section !== current) {
      await writer?.end();
      current = record.section;
      writer = new RowWriter(run, sections[record.section]);
    }
    const full = writer?.add(record);
    if (full !== undefined) await full;
  }
  await writer?.end();
  return settings;
}

/** Ids and UUIDs are given once, whether their object is there or gone; each table by itself has an index for that. */
async function refuseContradictions(run: Run, { departures, objects }: Tables): Promise<void> {
  const { rows } = await run({
    text: `select from ${departures} d join ${objects} o on o.oid = d.oid or o.uuid = d.uuid limit 1`,
  });
  if (rows.length > 0) throw contradictingRecords();
}

/** In the place of the triggers, which would keep every row until the end of its statement. */
async function countObjects(run: Run, { objectCounts, objects }: Tables): Promise<void> {
  await run({ text: `delete from ${objectCounts}` });
  await run({
    text: `insert into ${objectCounts} (class, shard, objects) select class, 0, count(*) from ${objects} where readers is null group by class`,
  });
}
