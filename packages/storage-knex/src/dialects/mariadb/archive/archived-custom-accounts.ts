import { acceptStorable, objectIdOf, objectNumber } from "@sallyport/core";
import type { Tables } from "../tables.ts";
import type { ArchivedTable } from "./archived-table.ts";

export function archivedCustomAccounts({ customAccounts }: Tables): ArchivedTable<"customAccounts"> {
  const columns = ["id", "login_name", "user_id", "email", "secret", "secret_version", "disabled", "confusable_key"];
  return {
    select: `select ${columns.join(", ")} from ${customAccounts} order by login_name`,
    recordOf: (row) => ({
      section: "customAccounts",
      id: row["id"] as string,
      loginName: row["login_name"] as string,
      userId: objectIdOf(Number(row["user_id"])),
      email: row["email"] as string | null,
      secret: row["secret"] as string,
      secretVersion: row["secret_version"] as number,
      disabled: row["disabled"] as boolean,
      confusableKey: row["confusable_key"] as string,
    }),
    table: customAccounts,
    columns,
    rowsOf: ({ id, loginName, userId, email, secret, secretVersion, disabled, confusableKey }) => {
      acceptStorable([loginName, email, secret, confusableKey]);
      return [[id, loginName, objectNumber(userId), email, secret, secretVersion, disabled, confusableKey]];
    },
  };
}
