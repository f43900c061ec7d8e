import { type ListedAccount, seesAll, type StoredObject } from "@sallyport/core";
import type { Command } from "commander";
import type { OpenedDatabase } from "../databases/with-database.ts";
import { allParts } from "../lists/all-parts.ts";
import { listCommand } from "../lists/list-command.ts";
import { allGroups } from "./find-groups.ts";

interface ListedUser extends ListedAccount {
  /** Names of the user groups. */
  readonly groups: readonly string[];
}

const batchSize = 500;

/** `user list`. */
export function listUsersCommand(): Command {
  return listCommand({
    plural: "users",
    read: readUsers,
    json: ({ loginName, userId, disabled, administrator, email, groups }) => {
      return { name: loginName, objectId: userId, enabled: !disabled, administrator, email, groups };
    },
    columns: {
      NAME: ({ loginName }) => loginName,
      STATE: ({ disabled }) => (disabled ? "disabled" : "enabled"),
      ADMINISTRATOR: ({ administrator }) => (administrator ? "yes" : "no"),
      GROUPS: ({ groups }) => groups.join(", ") || "none",
    },
  });
}

async function readUsers({ database: { storage } }: OpenedDatabase): Promise<ListedUser[]> {
  const { accounts, objects } = storage.repositories;
  const listed = await allParts(
    (...part) => accounts.list(...part),
    ({ loginName }) => loginName,
  );
  const groupNames = new Map((await allGroups(objects)).map(({ id, attributes }) => [id, String(attributes["Name"])]));
  const users = new Map<string, StoredObject>();
  for (let start = 0; start < listed.length; start += batchSize) {
    const ids = listed.slice(start, start + batchSize).map(({ userId }) => userId);
    for (const user of await objects.get(ids, seesAll)) users.set(user.id, user);
  }
  return listed.map((account) => {
    const groups = users.get(account.userId)?.attributes["Groups"];
    const ids = Array.isArray(groups) ? groups : [];
    return { ...account, groups: ids.flatMap((id) => groupNames.get(String(id)) ?? []) };
  });
}
