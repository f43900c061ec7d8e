import type { RecordOf } from "@sallyport/core";
import type { Tables } from "../tables.ts";
import { type ArchivedTable, jsonLine } from "./archived-table.ts";

export function archivedAppKeys({ appKeys }: Tables): ArchivedTable<"appKeys"> {
  const lists = { appNames: "app_names", origins: "origins", returnAddresses: "return_addresses" };
  const members = { id: "id", name: "name", enabled: "enabled", ...lists, digest: "encode(digest, 'hex')" };
  return {
    rows: appKeys,
    key: { column: "name", type: "text" },
    size: "octet_length(origins::text) + octet_length(return_addresses::text)",
    line: jsonLine(members),
    recordOf: (line) => ({ section: "appKeys", ...(JSON.parse(line) as Omit<RecordOf<"appKeys">, "section">) }),
    insert: `insert into ${appKeys} (id, name, digest, enabled, app_names, origins, return_addresses)
      select id, name, decode(digest, 'hex'), enabled, nullif("appNames", 'null'), origins, "returnAddresses"
      from jsonb_to_recordset($1::jsonb) as l (
        id text, name text, digest text, enabled boolean, "appNames" jsonb, origins jsonb, "returnAddresses" jsonb
      )`,
    rowsOf: (record) => JSON.stringify(record),
  };
}
