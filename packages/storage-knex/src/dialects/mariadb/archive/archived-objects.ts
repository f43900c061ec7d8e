import {
  acceptObjectSize,
  acceptStorable,
  type Attributes,
  canonicalJson,
  type ClassDefinition,
  objectIdOf,
  objectNumber,
  type RecordOf,
} from "@sallyport/core";
import type { ObjectRow } from "../../../object-row.ts";
import type { SqlValue } from "../../../sql-runner.ts";
import { objectColumns, objectOf } from "../objects/object-row.ts";
import { readersText } from "../objects/object-writes.ts";
import { attributesText } from "../objects/stored-attributes.ts";
import type { Tables } from "../tables.ts";
import type { ArchivedTable } from "./archived-table.ts";

const columns = ["oid", "uuid", "class", "version", "readers", "stamp", "attributes"];

export function archivedObjects({ objects }: Tables): ArchivedTable<"objects"> {
  return {
    select: `select ${objectColumns("o")}, o.stamp from ${objects} o order by o.oid`,
    recordOf: (row) => {
      const { attributes, ...object } = objectOf(row as unknown as ObjectRow);
      return { section: "objects", ...object, stamp: Number(row["stamp"]), attributes: canonicalJson(attributes) };
    },
    table: objects,
    columns: [...columns, "stored_at"],
    rowsOf: (record) => [[...valuesOf(record, record.attributes), record.storedAt]],
  };
}

export function archivedDepartures({ departures }: Tables): ArchivedTable<"departures"> {
  return {
    select: `select ${objectColumns("d", "departed_at")}, d.stamp, d.leader, d.deleted_by from ${departures} d order by d.oid`,
    recordOf: (row) => {
      const kept = row["attributes"] !== null;
      const { attributes, ...object } = objectOf({
        ...row,
        attributes: row["attributes"] ?? {},
      } as unknown as ObjectRow);
      const leader = objectIdOf(Number(row["leader"]));
      const deletedBy = row["deleted_by"] === null ? null : objectIdOf(Number(row["deleted_by"]));
      return {
        section: "departures",
        ...object,
        stamp: Number(row["stamp"]),
        leader,
        deletedBy,
        attributes: kept ? canonicalJson(attributes) : null,
      };
    },
    table: departures,
    columns: [...columns, "departed_at", "leader", "deleted_by"],
    rowsOf: (record) => [
      [
        ...valuesOf(record, record.attributes),
        record.storedAt,
        objectNumber(record.leader),
        record.deletedBy === null ? null : objectNumber(record.deletedBy),
      ],
    ],
  };
}

/** What live objects and departures share. */
function valuesOf(
  { id, uuid, className, version, readers, stamp }: RecordOf<"objects" | "departures">,
  attributes: string | null,
): SqlValue[] {
  acceptStorable(className);
  return [
    objectNumber(id),
    uuid,
    className,
    version,
    readersText(readers),
    stamp,
    attributes === null ? null : storedText(attributes),
  ];
}

/** The text of attributes hides what a text in them holds. */
function storedText(text: string): string {
  const attributes = JSON.parse(text) as Attributes;
  acceptStorable(attributes);
  acceptObjectSize(attributes);
  return attributesText(attributes);
}

export function archivedLinks({ links }: Tables): ArchivedTable<"links"> {
  return {
    select: `select source, concat('[', group_concat(json_array(attribute, target) order by attribute, target separator ','), ']') as pairs
      from ${links} group by source order by source`,
    recordOf: ({ source, pairs }) => {
      const linked = new Map<string, string[]>();
      for (const [attribute, target] of JSON.parse(pairs as string) as [string, number][]) {
        linked.set(attribute, [...(linked.get(attribute) ?? []), objectIdOf(target)]);
      }
      return { section: "links", id: objectIdOf(Number(source)), links: Object.fromEntries(linked) };
    },
    table: links,
    columns: ["source", "attribute", "target"],
    rowsOf: ({ id, links: linked }) => {
      acceptStorable(linked);
      return Object.entries(linked).flatMap(([attribute, targets]) =>
        targets.map((target) => [objectNumber(id), attribute, objectNumber(target)]),
      );
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
