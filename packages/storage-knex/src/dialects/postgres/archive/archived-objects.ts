import { type ClassDefinition, objectIdOf, objectNumber, type RecordOf } from "@sallyport/storage";
import { linkRows, linksOf } from "../../../archived-records.ts";
import type { Tables } from "../tables.ts";
import { epochMilliseconds } from "../expressions.ts";
import { type ArchivedTable, timeOf } from "./archived-table.ts";

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
  const named = `"oid":${objectNumber(id)},"uuid":${JSON.stringify(uuid)},"class":${JSON.stringify(className)}`;
  return `{${named},"version":${version},"stamp":${stamp},"stored_at":${storedAt},"readers":${readerNumbers},"attributes":${attributes}`;
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
      const who = line.slice(0, line.indexOf("\t"));
      const [root, deletedBy] = who.split(" ");
      const { attributes, ...object } = objectOfLine(line.slice(who.length + 1));
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
