import { acceptStorable, objectIdOf, objectNumber, type RecordOf } from "@sallyport/core";
import { epochMilliseconds } from "../statements/storage-time.ts";
import type { Tables } from "../tables.ts";
import { type ArchivedTable, timeValue } from "./archived-table.ts";

export function archivedIdentityLinks({ identityLinks }: Tables): ArchivedTable<"identityLinks"> {
  const columns = ["id", "provider", "issuer", "subject", "user_id", "shared", "email", "display_name"];
  return {
    select: `select ${columns.join(", ")}, ${epochMilliseconds("linked_at")} as linked from ${identityLinks} order by id`,
    recordOf: (row) => ({
      section: "identityLinks",
      id: row["id"] as string,
      provider: row["provider"] as RecordOf<"identityLinks">["provider"],
      issuer: row["issuer"] as string,
      subject: row["subject"] as string,
      userId: objectIdOf(Number(row["user_id"])),
      shared: row["shared"] as boolean,
      email: row["email"] as string | null,
      displayName: row["display_name"] as string | null,
      linkedAt: Number(row["linked"]),
    }),
    table: identityLinks,
    columns: [...columns, "linked_at"],
    rowsOf: ({ id, provider, issuer, subject, userId, shared, email, displayName, linkedAt }) => {
      acceptStorable([issuer, subject, email, displayName]);
      return [[id, provider, issuer, subject, objectNumber(userId), shared, email, displayName, timeValue(linkedAt)]];
    },
  };
}
