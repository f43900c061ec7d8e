import { acceptStorable, objectIdOf, objectNumber, type RecordOf } from "@sallyport/core";
import { epochMilliseconds } from "../statements/storage-time.ts";
import type { Tables } from "../tables.ts";
import { type ArchivedTable, timeValue } from "./archived-table.ts";

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

export function archivedKeys({ keys }: Tables): ArchivedTable<"keys"> {
  return {
    select: `select kind, key_id, public_key, wrapped_private_key, ${epochMilliseconds("created_at")} as created,
        ${epochMilliseconds("accepted_until")} as accepted
      from ${keys} order by position`,
    recordOf: (row) => ({
      section: "keys",
      kind: row["kind"] as RecordOf<"keys">["kind"],
      keyId: row["key_id"] as string,
      publicKey: row["public_key"] as string,
      wrappedPrivateKey: row["wrapped_private_key"] as string,
      createdAt: Number(row["created"]),
      acceptedUntil: row["accepted"] === null ? null : Number(row["accepted"]),
    }),
    table: keys,
    columns: ["kind", "key_id", "public_key", "wrapped_private_key", "created_at", "accepted_until"],
    rowsOf: ({ kind, keyId, publicKey, wrappedPrivateKey, createdAt, acceptedUntil }) => {
      acceptStorable([keyId, publicKey, wrappedPrivateKey]);
      return [
        [
          kind,
          keyId,
          publicKey,
          wrappedPrivateKey,
          timeValue(createdAt),
          acceptedUntil === null ? null : timeValue(acceptedUntil),
        ],
      ];
    },
  };
}
