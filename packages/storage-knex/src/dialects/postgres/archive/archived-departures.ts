import { objectIdOf, objectNumber } from "@sallyport/core";
import type { Tables } from "../tables.ts";
import { type ArchivedTable, timeOf } from "./archived-table.ts";
import { objectLine, objectMembers, objectOfLine, objectRow } from "./archived-objects.ts";

export function archivedDepartures({ departures }: Tables): ArchivedTable<"departures"> {
  return {
    rows: departures,
    key: { column: "oid", type: "bigint" },
    size: "coalesce(octet_length(attributes::text), 0)",
    line: `leader || E'\\t' || ${objectLine("departed_at")}`,
    recordOf: (line) => {
      const leader = line.slice(0, line.indexOf("\t"));
      const { attributes, ...object } = objectOfLine(line.slice(leader.length + 1));
      return { ...object, section: "departures", leader: objectIdOf(Number(leader)), attributes: attributes === "null" ? null : attributes };
    },
    insert: `insert into ${departures} (oid, uuid, class, version, departed_at, readers, attributes, leader, stamp)
      select oid, uuid, class, version, ${timeOf("stored_at")}, readers, nullif(attributes, 'null'), leader, stamp
      from jsonb_to_recordset($1::jsonb) as l (${objectRow}, leader bigint)`,
    rowsOf: (record) => `${objectMembers(record)},"leader":${objectNumber(record.leader)}}`,
  };
}
