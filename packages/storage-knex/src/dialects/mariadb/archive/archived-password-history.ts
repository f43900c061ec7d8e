import { acceptStorable } from "@sallyport/core";
import type { Tables } from "../tables.ts";
import type { ArchivedTable } from "./archived-table.ts";

export function archivedPasswordHistory({ passwordHistory }: Tables): ArchivedTable<"passwordHistory"> {
  return {
    select: `select subject, json_arrayagg(secret order by position) as secrets from ${passwordHistory} group by subject order by subject`,
    recordOf: (row) => ({
      section: "passwordHistory",
      subject: row["subject"] as string,
      secrets: row["secrets"] as string[],
    }),
    table: passwordHistory,
    columns: ["subject", "secret"],
    rowsOf: ({ subject, secrets }) => {
      acceptStorable([subject, secrets]);
      return secrets.map((secret) => [subject, secret]);
    },
  };
}
