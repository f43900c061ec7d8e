import type { RecordOf } from "@sallyport/core";
import type { Tables } from "../tables.ts";
import { type ArchivedTable, jsonLine } from "./archived-table.ts";

export function archivedSecondFactors({ secondFactors }: Tables): ArchivedTable<"secondFactors"> {
  const members = {
    subject: "subject",
    appName: "app_name",
    sealedSecret: "sealed_secret",
    confirmed: "confirmed",
    lastStep: "last_step",
    recoveryCodes: "recovery_codes",
  };
  return {
    // A key of two columns in one, in the same order: subjects hold no control character.
    rows: `(select *, subject || E'\\x01' || app_name as place from ${secondFactors})`,
    key: { column: "place", type: "text", isExpression: true },
    size: "(200 + octet_length(sealed_secret) + octet_length(recovery_codes::text))",
    line: jsonLine(members),
    recordOf: (line) => ({
      section: "secondFactors",
      ...(JSON.parse(line) as Omit<RecordOf<"secondFactors">, "section">),
    }),
    insert: `insert into ${secondFactors} (${Object.values(members).join(", ")})
      select ${Object.keys(members)
        .map((name) => `"${name}"`)
        .join(", ")} from jsonb_to_recordset($1::jsonb) as l (subject text, "appName" text,
        "sealedSecret" text, confirmed boolean, "lastStep" bigint, "recoveryCodes" jsonb)`,
    rowsOf: (record) => JSON.stringify(record),
  };
}
