import {
  acceptStorable,
  archivedAttributes,
  canonicalJson,
  type ClassDefinition,
  objectIdOf,
  objectNumber,
  type RecordOf,
} from "@sallyport/storage";
import { linkRows, linksOf } from "../../../archived-records.ts";
import type { ObjectRow } from "../../../object-row.ts";
import type { SqlValue } from "../../../sql-runner.ts";
import { attributesText, objectColumns, objectOf } from "../objects/object-row.ts";
import { formerReaderColumns, formerRowOf, rowColumns, rowOf } from "../objects/object-writer.ts";
import type { Tables } from "../tables.ts";
import type { ArchivedTable } from "./archived-table.ts";

export function archivedObjects({ objects }: Tables): ArchivedTable<"objects"> {
  return {
    select: `select ${objectColumns("o")}, o.stamp from ${objects} o order by o.oid`,
    recordOf: (row) => {
      const { attributes, ...object } = objectOf(row as unknown as ObjectRow);
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
      const kept = row["attributes"] ?? null;
      const { attributes, ...object } = objectOf({ ...row, attributes: kept ?? {} } as unknown as ObjectRow);
      return {
        section: "tombstones",
        ...object,
        stamp: Number(row["stamp"]),
        root: objectIdOf(Number(row["root"])),
        deletedBy: row["deleted_by"] === null ? null : objectIdOf(Number(row["deleted_by"])),
        attributes: kept === null ? null : canonicalJson(attributes),
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
