import { setImmediate as turn } from "node:timers/promises";
import { type ArchiveRecord, inconsistentRecords, type RecordOf } from "@sallyport/core";
import { type SectionWriter, writeRecords } from "../../../archived-records.ts";
import type { Run } from "../connection.ts";
import { raiseStamps } from "../stamps.ts";
import type { Tables } from "../tables.ts";
import type { ArchivedTables, WrittenTable } from "./archived-table.ts";

/** Fills an empty database inside of a transaction. Everything that an archive can hold is held against other writers. */
export async function fillDatabase(
  run: Run,
  tables: Tables,
  sections: ArchivedTables,
  records: AsyncIterable<ArchiveRecord>,
): Promise<void> {
  const { tombstones, objects } = tables;
  for (const table of [objects, tombstones]) await run({ text: `alter table ${table} disable trigger user` });
  await run({ text: `delete from ${tables.classes}` });
  const settings = await writeRecords(
    records,
    (each) => writeSettings(run, tables, each),
    (section) => new RowWriter(run, sections[section]),
  );
  await refuseInconsistentRecords(run, tables);
  await countObjects(run, tables);
  for (const table of [objects, tombstones]) await run({ text: `alter table ${table} enable trigger user` });
  await raiseStamps(run, tables);
  // Nobody else would do it in the embedded engine, and on a server it could take minutes until somebody does.
  await run({ text: `analyze ${[objects, tables.links, tombstones, tables.accounts, tables.audit].join(", ")}` });
  if (settings !== undefined) await writeSequences(run, tables, settings);
}

/** Ids and UUIDs are given once, whether their object is there or gone; each table by itself has an index for that. */
async function refuseInconsistentRecords(run: Run, { tombstones, objects }: Tables): Promise<void> {
  const { rows } = await run({
    text: `select from ${tombstones} d join ${objects} o on o.oid = d.oid or o.uuid = d.uuid limit 1`,
  });
  if (rows.length > 0) throw inconsistentRecords();
}

/** In the place of the triggers, which would keep every row until the end of its statement. */
async function countObjects(run: Run, { objectCounts, objects }: Tables): Promise<void> {
  await run({ text: `delete from ${objectCounts}` });
  await run({
    text: `insert into ${objectCounts} (class, shard, objects) select class, 0, count(*) from ${objects} where readers is null group by class`,
  });
}

/** What is written at once: at most so many rows, and so many characters unless one row has more. */
const mostRows = 1_000;
const mostCharacters = 1_048_576;

/**
 * After so many rows the driver gets a turn. Records may come for long without one, and only then it sends on what the connection did not
 * take at once, and learns that the database is through.
 */
const rowsBetweenTurns = 64;

/** Adds the records of one section, many in a statement. While the database is at one, the next one is on its way, and one is put together. */
class RowWriter implements SectionWriter {
  private rows = 0;
  private elements = "";
  private underWay: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly run: Run,
    private readonly table: WrittenTable,
  ) {}

  add(record: ArchiveRecord): Promise<void> | undefined {
    const elements = this.table.rowsOf(record);
    this.elements = this.rows === 0 ? elements : `${this.elements},${elements}`;
    this.rows += 1;
    if (this.rows === mostRows || this.elements.length >= mostCharacters) return this.flush();
    return this.rows % rowsBetweenTurns === 0 ? turn() : undefined;
  }

  async end(): Promise<void> {
    await this.flush();
    await this.underWay;
  }

  /** Resolves when the statement before is through. */
  private async flush(): Promise<void> {
    const before = this.underWay;
    if (this.rows > 0) {
      this.underWay = this.run({ text: this.table.insert, values: [`[${this.elements}]`] });
      // It is awaited with the next one, or at the end.
      this.underWay.catch(() => {});
    }
    this.rows = 0;
    this.elements = "";
    await before;
  }
}

async function writeSettings(
  run: Run,
  { settings }: Tables,
  { maintenance, modelGeneration, macroGeneration }: RecordOf<"settings">,
): Promise<void> {
  await run({
    text: `update ${settings} set maintenance = $1, model_generation = $2, macro_generation = $3`,
    values: [maintenance, modelGeneration, macroGeneration],
  });
}

/** Lets the sequences go on behind what was given out. They forget no rollback, so this comes last. */
async function writeSequences(
  run: Run,
  tables: Tables,
  { lastObject, lastAudit }: RecordOf<"settings">,
): Promise<void> {
  const { audit, tombstones, objectIds, objects } = tables;
  const behind = (sequence: string, last: string) =>
    `select setval(${sequence}, last) from (select ${last} as last) l where last > 0`;
  const highest = `greatest($1::bigint, (select max(oid) from ${objects}), (select max(oid) from ${tombstones}))`;
  await run({ text: behind(`'${objectIds}'`, highest), values: [lastObject] });
  await run({
    text: behind(auditSequence(tables), `greatest($1::bigint, (select max(sequence) from ${audit}))`),
    values: [lastAudit],
  });
}

export function auditSequence({ audit }: Tables): string {
  return `pg_get_serial_sequence('${audit}', 'sequence')::regclass`;
}
