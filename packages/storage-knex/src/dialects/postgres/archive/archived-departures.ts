import { objectIdOf, objectNumber } from "@sallyport/core";
import type { Tables } from "../tables.ts";
import { type ArchivedTable, timeOf } from "./archived-table.ts";
import { objectLine, objectMembers, objectOfLine, objectRow } from "./archived-objects.ts";

export function archivedDepartures({ departures }: Tables): ArchivedTable<"departures"> {
  return {
    rows: departures,
    key: { column: "oid", type: "bigint" },
    size: "coalesce(octet_length(attributes::text), 0)",
    line: `concat(leader, ' ', deleted_by, E'\\t', ${objectLine("departed_at")})`,
    recordOf: (line) => {
      const who = line.slice(0, line.indexOf("\t"));
      const [leader, deletedBy] = who.split(" ");
      const { attributes, ...object } = objectOfLine(line.slice(who.length + 1));
      const numbers = {
        leader: objectIdOf(Number(leader)),
        deletedBy: deletedBy === "" ? null : objectIdOf(Number(deletedBy)),
      };
      return { ...object, section: "departures", ...numbers, attributes: attributes === "null" ? null : attributes };
    },
    insert: `insert into ${departures} (oid, uuid, class, version, departed_at, readers, attributes, leader, deleted_by, stamp)
      select oid, uuid, class, version, ${timeOf("stored_at")}, readers, nullif(attributes, 'null'), leader, deleted_by, stamp
      from jsonb_to_recordset($1::jsonb) as l (${objectRow}, leader bigint, deleted_by bigint)`,
    rowsOf: (record) => {
      const deletedBy = record.deletedBy === null ? "null" : objectNumber(record.deletedBy);
      return `${objectMembers(record)},"leader":${objectNumber(record.leader)},"deleted_by":${deletedBy}}`;
    },
  };
}
