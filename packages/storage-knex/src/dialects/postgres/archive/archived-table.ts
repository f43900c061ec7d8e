import { type ArchiveRecord, type ObjectId, objectIdOf, objectNumber, type RecordOf } from "@sallyport/storage";
import { archivedColumns, type ColumnType, type PlainSection, type TableSection } from "../../../archived-records.ts";
import { epochMilliseconds } from "../expressions.ts";

/** How the rows of a section are read. */
export interface ReadTable {
  /** A table, or a query in parentheses. */
  readonly rows: string;
  /** The column that orders the records. */
  readonly key: {
    readonly column: string;
    readonly type: "bigint" | "text";
    /** Not indexed: each range query scans all rows. */
    readonly isExpression?: true;
  };
  /** The size of a row in bytes, computed without reading it. */
  readonly size: string;
  /** A row as one line of text. */
  readonly line: string;
  recordOf(line: string): ArchiveRecord;
}

/** How the records of a section are written. */
export interface WrittenTable {
  /** Inserts the rows of a JSON array, parameter 1. */
  readonly insert: string;
  /** The record as elements of that array. */
  rowsOf(record: ArchiveRecord): string;
}

export interface ArchivedTable<Section extends TableSection> extends ReadTable, WrittenTable {
  recordOf(line: string): RecordOf<Section>;
  rowsOf(record: RecordOf<Section>): string;
}

export type ArchivedTables = { readonly [Section in TableSection]: ArchivedTable<Section> };

/** Small enough for any number of rows that is read at once. */
const smallRow = "100";

interface PlainTable extends Pick<ReadTable, "key"> {
  readonly table: string;
  /** Default: the table. */
  readonly rows?: string;
  /** Default: a small row. */
  readonly size?: string;
  /** Expressions for extra columns that no record has. */
  readonly additionalColumns?: Readonly<Record<string, string>>;
  /** The join with the rows `l` that provides these expressions. */
  readonly joined?: string;
}

/** A table whose rows are records, one member per column. */
export function plainTable<Section extends PlainSection>(
  section: Section,
  { table, rows = table, key, size = smallRow, additionalColumns = {}, joined = "" }: PlainTable,
): ArchivedTable<Section> {
  const columns = archivedColumns(section);
  const members = columns.map(
    ({ member, column, type, expression = column }) => `'${member}', ${selected(expression, type)}`,
  );
  const objects = columns.filter(({ type }) => type === "object").map(({ member }) => member);
  const json = columns.some(({ type }) => type === "json") ? "json" : "jsonb";
  const names = [...columns.map(({ column }) => column), ...Object.keys(additionalColumns)];
  const values = [
    ...columns.map(({ member, type }) => inserted(`"${member}"`, type)),
    ...Object.values(additionalColumns),
  ];
  const columnTypes = columns.map(({ member, type }) => `"${member}" ${transferTypes[type]}`);
  return {
    rows,
    key,
    size,
    line: `json_build_object(${members.join(", ")})::text`,
    recordOf: (line) => {
      const row = JSON.parse(line) as Record<string, unknown>;
      for (const member of objects) if (row[member] !== null) row[member] = objectIdOf(row[member] as number);
      return { section, ...row } as RecordOf<Section>;
    },
    insert: `insert into ${table} (${names.join(", ")}) overriding system value
      select ${values.join(", ")} from ${json}_to_recordset($1::${json}) as l (${columnTypes.join(", ")})${joined}`,
    rowsOf: (record) => {
      const row = { ...(record as unknown as Record<string, unknown>) };
      for (const member of objects) if (row[member] !== null) row[member] = objectNumber(row[member] as ObjectId);
      return JSON.stringify(row);
    },
  };
}

/** The transfer type of a member, before its conversion to the column type. */
const transferTypes: Readonly<Record<ColumnType, string>> = {
  bigint: "bigint",
  boolean: "boolean",
  digest: "text",
  integer: "integer",
  json: "json",
  jsonb: "jsonb",
  object: "bigint",
  text: "text",
  time: "float8",
  uuid: "uuid",
};

function selected(expression: string, type: ColumnType): string {
  if (type === "time") return epochMilliseconds(expression);
  return type === "digest" ? `encode(${expression}, 'hex')` : expression;
}

function inserted(member: string, type: ColumnType): string {
  if (type === "time") return timeOf(member);
  if (type === "jsonb") return `nullif(${member}, 'null')`;
  return type === "digest" ? `decode(${member}, 'hex')` : member;
}

/** The timestamp of a column in milliseconds. */
export function timeOf(column: string): string {
  return `to_timestamp(${column} / 1000.0)`;
}
