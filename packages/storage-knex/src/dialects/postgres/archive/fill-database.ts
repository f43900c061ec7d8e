import { setImmediate as turn } from "node:timers/promises";
import { type ArchiveRecord, inconsistentRecords, type RecordOf } from "@sallyport/storage";
import { type SectionWriter, writeRecords } from "../../../archived-records.ts";
import type { Run } from "../connection.ts";
import { raiseStamps } from "../stamps.ts";
import type { Tables } from "../tables.ts";
import type { ArchivedTables, TableWriter } from "./archived-tables.ts";

/** Fills an empty database within a transaction. Everything that an archive can contain is locked against other writers. */
export async function fillDatabase(
  run: Run,
  tables: Tables,
  sections: ArchivedTables,
  records: AsyncIterable<ArchiveRecord>,
): Promise<void> {
  const { tombstones, objects } = tables;
  await turnTriggers(run, tables, "disable");
  await run({ text: `delete from ${tables.classes}` });
  const settings = await writeRecords(
    records,
    (each) => writeSettings(run, tables, each),
    (section) => new RowWriter(run, sections[section]),
  );
  await refuseInconsistentRecords(run, tables);
  await countObjects(run, tables);
  await turnTriggers(run, tables, "enable");
  await raiseStamps(run, tables);
  // The embedded engine has no autovacuum, and on a server it could take minutes to run.
  await run({ text: `analyze ${[objects, tables.links, tombstones, tables.accounts, tables.audit].join(", ")}` });
  if (settings !== undefined) await writeSequences(run, tables, settings);
}

/** By name: "all" would also enable those of logical replication. */
async function turnTriggers(run: Run, { objects, tombstones }: Tables, action: "disable" | "enable"): Promise<void> {
  const each = (...names: string[]) => names.map((name) => `${action} trigger ${name}`).join(", ");
  const counts = ["count_added", "count_removed", "count_opened"];
  await run({ text: `alter table ${objects} ${each(...counts, "objects_stamped", "readers_kept")}` });
  await run({ text: `alter table ${tombstones} ${each("tombstones_stamped")}` });
}

/** Ids and UUIDs are unique across objects, tombstones and forgotten objects. The unique indexes cover only one table each. */
async function refuseInconsistentRecords(run: Run, { tombstones, objects, sweptObjects }: Tables): Promise<void> {
  const { rows } = await run({
    text: `select from ${tombstones} d join ${objects} o on o.oid = d.oid or o.uuid = d.uuid
      union all select from ${sweptObjects} s join ${objects} o on o.oid = s.oid or o.uuid = s.uuid
      union all select from ${sweptObjects} s join ${tombstones} d on d.oid = s.oid or d.uuid = s.uuid
      limit 1`,
  });
  if (rows.length > 0) throw inconsistentRecords();
}

/** Replaces the triggers, which would keep every row until the end of the statement. */
async function countObjects(run: Run, { objectCounts, objects }: Tables): Promise<void> {
  await run({ text: `delete from ${objectCounts}` });
  await run({
    text: `insert into ${objectCounts} (class, shard, objects) select class, 0, count(*) from ${objects} where readers is null group by class`,
  });
}

/** Limits per statement; a single larger row is allowed. */
const maxRows = 1_000;
const maxCharacters = 1_048_576;

/**
 * Rows between two yields to the event loop. Without one, the driver can neither send the buffered data nor receive
 * answers.
 */
const rowsBetweenTurns = 64;

/** Writes the records of one section in batches. One statement runs and one is in transit while the next is built. */
class RowWriter implements SectionWriter {
  private rows = 0;
  private elements = "";
  private pending: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly run: Run,
    private readonly table: TableWriter,
  ) {}

  add(record: ArchiveRecord): Promise<void> | undefined {
    const elements = this.table.rowsOf(record);
    this.elements = this.rows === 0 ? elements : `${this.elements},${elements}`;
    this.rows += 1;
    if (this.rows === maxRows || this.elements.length >= maxCharacters) return this.flush();
    return this.rows % rowsBetweenTurns === 0 ? turn() : undefined;
  }

  async end(): Promise<void> {
    await this.flush();
    await this.pending;
  }

  /** Resolves when the previous statement is done. */
  private async flush(): Promise<void> {
    const before = this.pending;
    if (this.rows > 0) {
      this.pending = this.run({ text: this.table.insert, values: [`[${this.elements}]`] });
      // Awaited with the next one, or at the end.
      this.pending.catch(() => {});
    }
    this.rows = 0;
    this.elements = "";
    await before;
  }
}

async function writeSettings(
  run: Run,
  { settings }: Tables,
  { maintenance, modelGeneration, macroGeneration, sweptStamp }: RecordOf<"settings">,
): Promise<void> {
  await run({
    text: `update ${settings} set maintenance = $1, model_generation = $2, macro_generation = $3, swept_stamp = $4`,
    values: [maintenance, modelGeneration, macroGeneration, sweptStamp],
  });
}

/** Sets the sequences behind the last issued numbers. A rollback does not revert sequences, so this comes last. */
async function writeSequences(
  run: Run,
  tables: Tables,
  { lastObject, lastAudit }: RecordOf<"settings">,
): Promise<void> {
  const { audit, tombstones, objectIds, objects, sweptObjects } = tables;
  const behind = (sequence: string, last: string) =>
    `select setval(${sequence}, last) from (select ${last} as last) l where last > 0`;
  const highest = `greatest($1::bigint, (select max(oid) from ${objects}), (select max(oid) from ${tombstones}), (select max(oid) from ${sweptObjects}))`;
  await run({ text: behind(`'${objectIds}'`, highest), values: [lastObject] });
  await run({
    text: behind(auditSequence(tables), `greatest($1::bigint, (select max(sequence) from ${audit}))`),
    values: [lastAudit],
  });
}

export function auditSequence({ audit }: Tables): string {
  return `pg_get_serial_sequence('${audit}', 'sequence')::regclass`;
}
