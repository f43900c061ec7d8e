import {
  acceptStorable,
  type ArchiveRecord,
  type RecordOf,
  archivedAttributes,
  canonicalJson,
  type ClassDefinition,
  objectIdOf,
  objectNumber,
} from "@sallyport/storage";
import {
  archivedColumns,
  type ColumnType,
  membersOf,
  type PlainSection,
  type TableSection,
  valueOf as columnValue,
  linkRows,
  linksOf,
} from "../../../archived-records.ts";
import type { SqlValue } from "../../../sql-runner.ts";
import type { Row, Tables } from "../tables.ts";
import { epochMilliseconds } from "../expressions.ts";
import type { ObjectRow } from "../../../object-row.ts";
import { attributesText, objectColumns, parsedObjectOf } from "../object-row.ts";
import { formerReaderColumns, formerRowOf, rowColumns, rowOf } from "../objects/object-writer.ts";

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

export function archivedObjects({ objects }: Tables): ArchivedTable<"objects"> {
  return {
    select: `select ${objectColumns("o")}, o.stamp from ${objects} o order by o.oid`,
    recordOf: (row) => {
      const { attributes, ...object } = parsedObjectOf(row as unknown as ObjectRow);
      return { section: "objects", ...object, stamp: Number(row["stamp"]), attributes: canonicalJson(attributes) };
    },
    table: objects,
    columns: rowColumns(),
    rowsOf: (record) => [valuesOf(record)],
  };
}

export function archivedTombstones({ tombstones }: Tables): ArchivedTable<"tombstones"> {
  return {
    select: `select ${objectColumns("d", "deleted_at")}, d.stamp, d.root, d.deleted_by from ${tombstones} d order by d.oid`,
    recordOf: (row) => {
      const stored = row["attributes"] ?? null;
      const { attributes, ...object } = parsedObjectOf({ ...row, attributes: stored ?? {} } as unknown as ObjectRow);
      return {
        section: "tombstones",
        ...object,
        stamp: Number(row["stamp"]),
        root: objectIdOf(Number(row["root"])),
        deletedBy: row["deleted_by"] === null ? null : objectIdOf(Number(row["deleted_by"])),
        attributes: stored === null ? null : canonicalJson(attributes),
      };
    },
    table: tombstones,
    columns: [...rowColumns("deleted_at"), "root", "deleted_by"],
    rowsOf: (record) => {
      const deletedBy = record.deletedBy === null ? null : objectNumber(record.deletedBy);
      return [[...valuesOf(record), objectNumber(record.root), deletedBy]];
    },
  };
}

export function archivedFormerReaders({ formerReaders }: Tables): ArchivedTable<"formerReaders"> {
  return {
    select: `select oid, class, concat('[', group_concat(json_array(stamp, changed_at, json_compact(readers)) order by stamp separator ','), ']') as entries
      from ${formerReaders} group by oid, class order by oid`,
    recordOf: ({ oid, class: className, entries }) => ({
      section: "formerReaders",
      id: objectIdOf(Number(oid)),
      className: className as string,
      entries: (JSON.parse(entries as string) as [number, number, number[] | null][]).map(
        ([stamp, changedAt, readers]) => ({ stamp, changedAt, readers: readers?.map(objectIdOf) ?? null }),
      ),
    }),
    table: formerReaders,
    columns: formerReaderColumns,
    rowsOf: ({ id, className, entries }) => {
      acceptStorable(className);
      return entries.map((entry) => formerRowOf({ ...entry, id, className }));
    },
  };
}

/** The values that live objects and tombstones share. */
function valuesOf({ attributes, stamp, ...object }: RecordOf<"objects" | "tombstones">): SqlValue[] {
  acceptStorable(object.className);
  return rowOf(object, attributes === null ? null : attributesText(archivedAttributes(attributes)), stamp);
}

export function archivedLinks({ links }: Tables): ArchivedTable<"links"> {
  return {
    select: `select source, concat('[', group_concat(json_array(attribute, target) order by attribute, target separator ','), ']') as pairs
      from ${links} group by source order by source`,
    recordOf: ({ source, pairs }) => linksOf(Number(source), JSON.parse(pairs as string) as [string, number][]),
    table: links,
    columns: ["source", "attribute", "target"],
    rowsOf: (record) => {
      acceptStorable(record.links);
      return linkRows(record);
    },
  };
}

export function archivedClasses({ classes }: Tables): ArchivedTable<"classes"> {
  return {
    select: `select definition from ${classes} order by position`,
    recordOf: ({ definition }) => ({ section: "classes", definition: definition as ClassDefinition }),
    table: classes,
    columns: ["name", "definition"],
    rowsOf: ({ definition }) => {
      acceptStorable(definition);
      return [[definition.name, JSON.stringify(definition)]];
    },
  };
}
