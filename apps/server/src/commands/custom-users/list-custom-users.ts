import { type ListedCustomAccount, seesAll, type Repositories } from "@sallyport/core";
import type { Command } from "commander";
import { allParts } from "../lists/all-parts.ts";
import { listCommand } from "../lists/list-command.ts";

export interface ListedCustomUser extends ListedCustomAccount {
  /** Name of the database user as whom he works; empty where that is gone. */
  readonly worksAs: string;
}

const batchSize = 500;

/** `custom-users list`. */
export function listCustomUsersCommand(): Command {
  return listCommand({
    plural: "custom users",
    read: async ({ database: { storage } }) => {
      const { customAccounts } = storage.repositories;
      return withUsers(
        storage.repositories,
        await allParts(
          (...part) => customAccounts.list(...part),
          ({ loginName }) => loginName,
        ),
      );
    },
    json: customUserJson,
    columns: {
      NAME: ({ loginName }) => loginName,
      STATE: ({ disabled }) => (disabled ? "disabled" : "enabled"),
      "WORKS AS": ({ worksAs, userId }) => worksAs || userId,
      EMAIL: ({ email }) => email ?? "none",
    },
  });
}

/** What a script gets of a custom user. */
export function customUserJson({ id, loginName, userId, worksAs, email, disabled }: ListedCustomUser): object {
  return { name: loginName, id, enabled: !disabled, user: worksAs, objectId: userId, email };
}

/** With the names of the users as whom they work. */
export async function withUsers(
  { objects }: Repositories,
  listed: readonly ListedCustomAccount[],
): Promise<ListedCustomUser[]> {
  const ids = [...new Set(listed.map(({ userId }) => userId))];
  const names = new Map<string, string>();
  for (let start = 0; start < ids.length; start += batchSize) {
    for (const { id, attributes } of await objects.get(ids.slice(start, start + batchSize), seesAll))
      names.set(id, String(attributes["Name"] ?? ""));
  }
  return listed.map((account) => ({ ...account, worksAs: names.get(account.userId) ?? "" }));
}
