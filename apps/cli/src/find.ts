import type {
  AdministeredAppKeyData,
  AdministeredCustomUserData,
  AdministeredGroupData,
  AdministeredUserData,
  Page,
  PageOptions,
  SallyportAdmin,
} from "@sallyport/client/admin";
import { CommandError, hintFor } from "./failures.ts";
import { firstItem } from "./outcome.ts";

type Read<Item> = (page: PageOptions) => Promise<Page<Item>>;

interface Named {
  readonly name: string;
}

/** Administrators know names, the routes take ids. A name wins over an equal id. Also returns the names that it read. */
async function search<Item extends Named>(word: string, read: Read<Item>, idOf: (item: Item) => string) {
  let withId: Item | undefined;
  const names: string[] = [];
  const named = await firstItem(read, (item) => {
    if (idOf(item) === word) withId = item;
    names.push(item.name);
    return item.name === word;
  });
  return { item: named ?? withId, names };
}

/** The item with this name or id. Refused if there is none. */
export async function findItem<Item extends Named>(
  what: string,
  word: string,
  read: Read<Item>,
  idOf: (item: Item) => string,
): Promise<Item> {
  const { item, names } = await search(word, read, idOf);
  if (item !== undefined) return item;
  throw new CommandError(`There is no ${what} "${word}".${hintFor(word, names)}`, "refused");
}

export function findUser(admin: SallyportAdmin, word: string): Promise<AdministeredUserData> {
  return findItem(
    "user",
    word,
    (page) => admin.users.list(page),
    ({ userId }) => userId,
  );
}

export function findGroup(admin: SallyportAdmin, word: string): Promise<AdministeredGroupData> {
  return findItem("group", word, (page) => admin.groups.list(page), groupIdOf);
}

function groupIdOf({ groupId }: AdministeredGroupData): string {
  return groupId;
}

export function findCustomUser(admin: SallyportAdmin, word: string): Promise<AdministeredCustomUserData> {
  return findItem(
    "custom user",
    word,
    (page) => admin.customUsers.list(page),
    ({ customUserId }) => customUserId,
  );
}

export function findAppKey(admin: SallyportAdmin, word: string): Promise<AdministeredAppKeyData> {
  return findItem(
    "app key",
    word,
    (page) => admin.appKeys.list(page),
    ({ appKeyId }) => appKeyId,
  );
}

/** Ids of groups by name or id. */
export async function groupIds(admin: SallyportAdmin, words: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const word of new Set(words)) ids.push((await findGroup(admin, word)).groupId);
  return ids;
}

/** The same. Creates the groups that do not exist. */
export async function createdGroupIds(admin: SallyportAdmin, words: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const name of new Set(words)) {
    const { item } = await search(name, (page) => admin.groups.list(page), groupIdOf);
    ids.push((item ?? (await admin.groups.create({ name, description: null }))).groupId);
  }
  return ids;
}
