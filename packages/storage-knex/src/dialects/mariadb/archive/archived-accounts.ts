import { acceptStorable, objectIdOf, objectNumber } from "@sallyport/core";
import type { Tables } from "../tables.ts";
import type { ArchivedTable } from "./archived-table.ts";

export function archivedAccounts({ accounts }: Tables): ArchivedTable<"accounts"> {
  return {
    select: `select user_id, login_name, confusable_key, secret, secret_version, administrator, disabled, email from ${accounts} order by user_id`,
    recordOf: (row) => ({
      section: "accounts",
      userId: objectIdOf(Number(row["user_id"])),
      loginName: row["login_name"] as string,
      confusableKey: row["confusable_key"] as string,
      secret: row["secret"] as string,
      secretVersion: row["secret_version"] as number,
      administrator: row["administrator"] as boolean,
      disabled: row["disabled"] as boolean,
      email: row["email"] as string | null,
    }),
    table: accounts,
    columns: [
      "user_id",
      "login_name",
      "confusable_key",
      "secret",
      "secret_version",
      "administrator",
      "disabled",
      "email",
    ],
    rowsOf: ({ userId, loginName, confusableKey, secret, secretVersion, administrator, disabled, email }) => {
      acceptStorable([loginName, confusableKey, secret, email]);
      return [[objectNumber(userId), loginName, confusableKey, secret, secretVersion, administrator, disabled, email]];
    },
  };
}
