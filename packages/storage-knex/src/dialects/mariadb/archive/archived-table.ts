import { acceptStorable, type ArchiveRecord, type RecordOf } from "@sallyport/storage";
import {
  archivedColumns,
  type ColumnType,
  membersOf,
  type PlainSection,
  type TableSection,
  valueOf as columnValue,
} from "../../../archived-records.ts";
import type { SqlValue } from "../../../sql-runner.ts";
import type { Row } from "../row-values.ts";
import { epochMilliseconds } from "../statements/storage-time.ts";

/** How the records of a section are written. */
export interface WrittenTable {
  readonly table: string;
  readonly columns: readonly string[];
  rowsOf(record: ArchiveRecord): readonly (readonly SqlValue[])[];
}

/** How the records of one section are read and written. */
export interface ArchivedTable<Section extends TableSection> extends WrittenTable {
  /** Selects all rows in record order. */
  readonly select: string;
  recordOf(row: Row): RecordOf<Section>;
  rowsOf(record: RecordOf<Section>): readonly (readonly SqlValue[])[];
}

export type ArchivedTables = { readonly [Section in TableSection]: ArchivedTable<Section> };

interface PlainTable {
  readonly table: string;
  readonly order: string;
  readonly where?: string;
  /** Values of extra columns that no record has. */
  readonly additionalColumns?: Readonly<Record<string, SqlValue>>;
}

/** A table whose rows are records, one member per column. */
export function plainTable<Section extends PlainSection>(
  section: Section,
  { table, order, where = "true", additionalColumns = {} }: PlainTable,
): ArchivedTable<Section> {
  const columns = archivedColumns(section);
  const selection = columns.map(
    ({ column, type, expression = `\`${column}\`` }) => `${selected(expression, type)} as \`${column}\``,
  );
  return {
    select: `select ${selection.join(", ")} from ${table} where ${where} order by ${order}`,
    recordOf: (row) => ({ section, ...membersOf(columns, row) }) as unknown as RecordOf<Section>,
    table,
    columns: [...columns.map(({ column }) => `\`${column}\``), ...Object.keys(additionalColumns)],
    rowsOf: (record) => {
      acceptStorable(record);
      const members = record as unknown as Readonly<Record<string, unknown>>;
      return [
        [...columns.map(({ member, type }) => valueOf(members[member], type)), ...Object.values(additionalColumns)],
      ];
    },
  };
}

function selected(expression: string, type: ColumnType): string {
  if (type === "time") return epochMilliseconds(expression);
  return type === "digest" ? `lower(hex(${expression}))` : expression;
}

function valueOf(member: unknown, type: ColumnType): SqlValue {
  if (type !== "time") return columnValue(member, type);
  return new Date(member as number).toISOString().replace("T", " ").replace("Z", "");
}
