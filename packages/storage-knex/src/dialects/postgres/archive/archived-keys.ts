import type { RecordOf } from "@sallyport/core";
import type { Tables } from "../tables.ts";
import { type ArchivedTable, jsonLine, milliseconds, smallRow, timeOf } from "./archived-table.ts";

export function archivedKeys({ keys }: Tables): ArchivedTable<"keys"> {
  const members = {
    kind: "kind",
    keyId: "key_id",
    publicKey: "public_key",
    wrappedPrivateKey: "wrapped_private_key",
    createdAt: milliseconds("created_at"),
    acceptedUntil: milliseconds("accepted_until"),
  };
  return {
    rows: keys,
    key: { column: "position", type: "bigint" },
    size: smallRow,
    line: jsonLine(members),
    recordOf: (line) => ({ section: "keys", ...(JSON.parse(line) as Omit<RecordOf<"keys">, "section">) }),
    insert: `insert into ${keys} (kind, key_id, public_key, wrapped_private_key, created_at, accepted_until)
      select key ->> 'kind', key ->> 'keyId', key ->> 'publicKey', key ->> 'wrappedPrivateKey',
        ${timeOf("(key ->> 'createdAt')::float8")}, ${timeOf("(key ->> 'acceptedUntil')::float8")}
      from jsonb_array_elements($1::jsonb) with ordinality as list (key, place) order by place`,
    rowsOf: (record) => JSON.stringify(record),
  };
}
