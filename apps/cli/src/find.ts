import type {
  AdministeredAppKeyData,
  AdministeredCustomUserData,
  AdministeredGroupData,
  AdministeredUserData,
  Page,
  PageOptions,
  SallyportAdmin,
} from "@sallyport/client/admin";
import { didYouMean } from "@sallyport/client/terminal";
import { CommandError } from "./failures.ts";
import { firstItem } from "./outcome.ts";

/** Administrators know names, the routes take ids. A name wins over an equal id. */
async function find<Item extends { readonly name: string }>(
  what: string,
  word: string,
  read: (page: PageOptions) => Promise<Page<Item>>,
  idOf: (item: Item) => string,
): Promise<Item> {
  let withId: Item | undefined;
  const names: string[] = [];
  const named = await firstItem(read, (item) => {
    if (idOf(item) === word) withId = item;
    names.push(item.name);
    return item.name === word;
  });
  const found = named ?? withId;
  if (found !== undefined) return found;
  const suggestion = didYouMean(word, names);
  throw new CommandError(
    `There is no ${what} "${word}".${suggestion === undefined ? "" : ` Did you mean "${suggestion}"?`}`,
    "refused",
  );
}

export function findUser(admin: SallyportAdmin, word: string): Promise<AdministeredUserData> {
  return find(
    "user",
    word,
    (page) => admin.users.list(page),
    ({ userId }) => userId,
  );
}

export function findGroup(admin: SallyportAdmin, word: string): Promise<AdministeredGroupData> {
  return find(
    "group",
    word,
    (page) => admin.groups.list(page),
    ({ groupId }) => groupId,
  );
}

export function findCustomUser(admin: SallyportAdmin, word: string): Promise<AdministeredCustomUserData> {
  return find(
    "custom user",
    word,
    (page) => admin.customUsers.list(page),
    ({ customUserId }) => customUserId,
  );
}

export function findAppKey(admin: SallyportAdmin, word: string): Promise<AdministeredAppKeyData> {
  return find(
    "app key",
    word,
    (page) => admin.appKeys.list(page),
    ({ appKeyId }) => appKeyId,
  );
}

/** Ids of groups by name or id. `creates`: whether to create those that do not exist. */
export async function groupIds(admin: SallyportAdmin, words: readonly string[], creates = false): Promise<string[]> {
  const ids: string[] = [];
  for (const word of new Set(words)) {
    const found = await findGroup(admin, word).catch((error: unknown) => {
      if (creates && error instanceof CommandError) return admin.groups.create({ name: word, description: null });
      throw error;
    });
    ids.push(found.groupId);
  }
  return ids;
}
