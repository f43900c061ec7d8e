import {
  type ArchiveRecord,
  type ClassDefinition,
  type ObjectId,
  objectIdOf,
  objectNumber,
  type RecordOf,
} from "@sallyport/storage";
import {
  archivedColumns,
  type ColumnType,
  linkRows,
  linksOf,
  type PlainSection,
  type TableSection,
} from "../../../archived-records.ts";
import { epochMilliseconds } from "../expressions.ts";
import type { Tables } from "../tables.ts";

/** How the rows of a section are read. */
export interface TableReader {
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
export interface TableWriter {
  /** Inserts the rows of a JSON array, parameter 1. */
  readonly insert: string;
  /** The record as elements of that array. */
  rowsOf(record: ArchiveRecord): string;
}

export interface ArchivedTable<Section extends TableSection> extends TableReader, TableWriter {
  recordOf(line: string): RecordOf<Section>;
  rowsOf(record: RecordOf<Section>): string;
}

export type ArchivedTables = { readonly [Section in TableSection]: ArchivedTable<Section> };

/** The size of a row, as an expression. Small enough for any number of rows that is read at once. */
const smallRow = "100";

interface PlainTable extends Pick<TableReader, "key"> {
  readonly table: string;
  /** Default: the table. */
  readonly rows?: string;
  /** Default: a small row. */
  readonly size?: string;
  /** Expressions for extra columns that no record has. */
  readonly additionalColumns?: Readonly<Record<string, string>>;
  /** The join with the rows `l` that provides these expressions. Default: none. */
  readonly join?: string;
}

/** A table whose rows are records, one member per column. */
export function plainTable<Section extends PlainSection>(
  section: Section,
  { table, rows = table, key, size = smallRow, additionalColumns = {}, join = "" }: PlainTable,
): ArchivedTable<Section> {
  const columns = archivedColumns(section);
  const members = columns.map(
    ({ member, column, type, expression = column }) => `'${member}', ${transferValue(expression, type)}`,
  );
  const objects = columns.filter(({ type }) => type === "object").map(({ member }) => member);
  const json = columns.some(({ type }) => type === "json") ? "json" : "jsonb";
  const names = [...columns.map(({ column }) => column), ...Object.keys(additionalColumns)];
  const values = [
    ...columns.map(({ member, type }) => columnValue(`"${member}"`, type)),
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
      select ${values.join(", ")} from ${json}_to_recordset($1::${json}) as l (${columnTypes.join(", ")})${join}`,
    rowsOf: (record) => {
      const row = { ...(record as unknown as Record<string, unknown>) };
      for (const member of objects) if (row[member] !== null) row[member] = objectNumber(row[member] as ObjectId);
      return JSON.stringify(row);
    },
  };
}

/** The SQL types in which the members of records are transferred. */
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

/** The value of a column in its transfer type. */
function transferValue(expression: string, type: ColumnType): string {
  if (type === "time") return epochMilliseconds(expression);
  return type === "digest" ? `encode(${expression}, 'hex')` : expression;
}

/** The value of a transferred member in the type of its column. */
function columnValue(member: string, type: ColumnType): string {
  if (type === "time") return timeOf(member);
  if (type === "jsonb") return `nullif(${member}, 'null')`;
  return type === "digest" ? `decode(${member}, 'hex')` : member;
}

/** The timestamp of a number in milliseconds. */
function timeOf(column: string): string {
  return `to_timestamp(${column} / 1000.0)`;
}

/** The columns that live objects and tombstones share, as transferred. */
const objectRow =
  "oid bigint, uuid uuid, class text, version integer, stamp bigint, stored_at float8, readers bigint[], attributes jsonb";

/**
 * Lines are faster than JSON for a million rows. The fields before the attributes contain no tab, and JSON text never
 * does.
 */
function objectLine(storedAt: string): string {
  const readers = "coalesce(array_to_json(readers)::text, 'null')";
  // Whole milliseconds, which a float represents exactly.
  const time = `(date_part('epoch', ${storedAt}) * 1000)::bigint`;
  return `concat_ws(E'\\t', oid, uuid, version, stamp, ${time}, ${readers}, to_json(class), coalesce(attributes::text, 'null'))`;
}

/** Parses a line, with the attributes as text. Searching for each tab takes half the time of a split. */
function objectOfLine(line: string): RecordOf<"objects"> {
  let end = -1;
  const next = () => {
    const start = end + 1;
    end = line.indexOf("\t", start);
    return line.slice(start, end);
  };
  const id = objectIdOf(Number(next()));
  const uuid = next();
  const version = Number(next());
  const stamp = Number(next());
  const storedAt = Number(next());
  const readers = next();
  const className = next();
  return {
    section: "objects",
    id,
    uuid,
    className: plainText.test(className) ? className.slice(1, -1) : (JSON.parse(className) as string),
    version,
    storedAt,
    readers: readers === "null" ? null : (JSON.parse(readers) as number[]).map(objectIdOf),
    stamp,
    attributes: line.slice(end + 1),
  };
}

/** A JSON string without escapes, as almost all class names are. */
const plainText = /^"\w*"$/;

/** The row as a JSON object, without its end. */
function objectMembers({
  id,
  uuid,
  className,
  version,
  storedAt,
  readers,
  stamp,
  attributes,
}: Omit<RecordOf<"objects" | "tombstones">, "section">): string {
  const readerNumbers = readers === null ? "null" : `[${readers.map(objectNumber).join(",")}]`;
  const identity = `"oid":${objectNumber(id)},"uuid":${JSON.stringify(uuid)},"class":${JSON.stringify(className)}`;
  return `{${identity},"version":${version},"stamp":${stamp},"stored_at":${storedAt},"readers":${readerNumbers},"attributes":${attributes}`;
}

export function archivedObjects({ objects }: Tables): ArchivedTable<"objects"> {
  return {
    rows: objects,
    key: { column: "oid", type: "bigint" },
    size: "bytes",
    line: objectLine("stored_at"),
    recordOf: objectOfLine,
    insert: `insert into ${objects} (oid, uuid, class, version, stored_at, readers, attributes, stamp, created_stamp)
      select oid, uuid, class, version, ${timeOf("stored_at")}, readers, attributes, stamp, null from jsonb_to_recordset($1::jsonb) as l (${objectRow})`,
    rowsOf: (record) => `${objectMembers(record)}}`,
  };
}

export function archivedClasses({ classes }: Tables): ArchivedTable<"classes"> {
  return {
    rows: classes,
    key: { column: "position", type: "bigint" },
    size: "octet_length(definition::text)",
    line: "definition::text",
    recordOf: (line) => ({ section: "classes", definition: JSON.parse(line) as ClassDefinition }),
    // The built-in classes exist already.
    insert: `insert into ${classes} (name, definition)
      select definition ->> 'name', definition from jsonb_array_elements($1::jsonb) with ordinality as list (definition, place) order by place`,
    rowsOf: ({ definition }) => JSON.stringify(definition),
  };
}

export function archivedTombstones({ tombstones }: Tables): ArchivedTable<"tombstones"> {
  return {
    rows: tombstones,
    key: { column: "oid", type: "bigint" },
    size: "coalesce(octet_length(attributes::text), 0)",
    line: `concat(root, ' ', deleted_by, E'\\t', ${objectLine("deleted_at")})`,
    recordOf: (line) => {
      const deletion = line.slice(0, line.indexOf("\t"));
      const [root, deletedBy] = deletion.split(" ");
      const { attributes, ...object } = objectOfLine(line.slice(deletion.length + 1));
      const numbers = {
        root: objectIdOf(Number(root)),
        deletedBy: deletedBy === "" ? null : objectIdOf(Number(deletedBy)),
      };
      return { ...object, section: "tombstones", ...numbers, attributes: attributes === "null" ? null : attributes };
    },
    insert: `insert into ${tombstones} (oid, uuid, class, version, deleted_at, readers, attributes, root, deleted_by, stamp)
      select oid, uuid, class, version, ${timeOf("stored_at")}, readers, nullif(attributes, 'null'), root, deleted_by, stamp
      from jsonb_to_recordset($1::jsonb) as l (${objectRow}, root bigint, deleted_by bigint)`,
    rowsOf: (record) => {
      const deletedBy = record.deletedBy === null ? "null" : objectNumber(record.deletedBy);
      return `${objectMembers(record)},"root":${objectNumber(record.root)},"deleted_by":${deletedBy}}`;
    },
  };
}

export function archivedFormerReaders({ formerReaders }: Tables): ArchivedTable<"formerReaders"> {
  return {
    rows: `(select oid, class, sum(100 + 8 * coalesce(cardinality(readers), 0)) as size,
      json_agg(json_build_array(stamp, ${epochMilliseconds("changed_at")}, readers) order by stamp) as entries from ${formerReaders} group by oid, class)`,
    key: { column: "oid", type: "bigint" },
    size: "size",
    line: "json_build_array(oid, class, entries)::text",
    recordOf: (line) => {
      const [number, className, entries] = JSON.parse(line) as [number, string, [number, number, number[] | null][]];
      return {
        section: "formerReaders",
        id: objectIdOf(number),
        className,
        entries: entries.map(([stamp, changedAt, readers]) => ({
          stamp,
          changedAt,
          readers: readers?.map(objectIdOf) ?? null,
        })),
      };
    },
    insert: `insert into ${formerReaders} (oid, class, stamp, changed_at, readers)
      select oid, class, stamp, ${timeOf("changed_at")}, readers
      from jsonb_to_recordset($1::jsonb) as l (oid bigint, class text, stamp bigint, changed_at float8, readers bigint[])`,
    rowsOf: ({ id, className, entries }) =>
      entries
        .map(({ stamp, changedAt, readers }) =>
          JSON.stringify({
            oid: objectNumber(id),
            class: className,
            stamp,
            changed_at: changedAt,
            readers: readers?.map(objectNumber) ?? null,
          }),
        )
        .join(),
  };
}

export function archivedLinks({ links }: Tables): ArchivedTable<"links"> {
  return {
    rows: `(select source, count(*) as count, json_agg(json_build_array(attribute, target) order by attribute, target) as links from ${links} group by source)`,
    key: { column: "source", type: "bigint" },
    size: "40 * count",
    line: "json_build_array(source, links)::text",
    recordOf: (line) => {
      const [source, pairs] = JSON.parse(line) as [number, [string, number][]];
      return linksOf(source, pairs);
    },
    insert: `insert into ${links} (source, attribute, target)
      select source, attribute, target from jsonb_to_recordset($1::jsonb) as l (source bigint, attribute text, target bigint)`,
    rowsOf: (record) =>
      linkRows(record)
        .map(([source, attribute, target]) => JSON.stringify({ source, attribute, target }))
        .join(),
  };
}
