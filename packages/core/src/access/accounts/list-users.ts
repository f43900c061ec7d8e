import type { AdministrationContext } from "../../request/index.ts";
import {
  type ListedAccount,
  type ObjectRepository,
  type Part,
  seesAll,
  type StoredObject,
} from "../../storage/index.ts";

export interface ListedUser extends ListedAccount {
  /** Names of the user groups. */
  readonly groups: readonly string[];
}

/** At most `limit` users with accounts, disabled ones included, in the order of `AccountRepository.list`. */
export async function listUsers(
  { r: { accounts, objects } }: Pick<AdministrationContext, "r">,
  { after, limit }: Part,
): Promise<ListedUser[]> {
  const listed = await accounts.list("database", after, limit);
  const groupNames = new Map((await allGroups(objects)).map(({ id, attributes }) => [id, String(attributes["Name"])]));
  const found = await objects.get(
    listed.map(({ userId }) => userId),
    seesAll,
  );
  const users = new Map(found.map((user) => [user.id, user]));
  return listed.map((account) => {
    const groups = users.get(account.userId)?.attributes["Groups"];
    const ids = Array.isArray(groups) ? groups : [];
    return { ...account, groups: ids.flatMap((id) => groupNames.get(String(id)) ?? []) };
  });
}

const pageSize = 500;

/** The user groups of a database, regardless of who may see them. */
export async function allGroups(objects: ObjectRepository): Promise<StoredObject[]> {
  const groups: StoredObject[] = [];
  let page: readonly StoredObject[];
  do {
    ({ objects: page } = await objects.find({ classes: ["UserGroup"] }, seesAll, {
      offset: groups.length,
      limit: pageSize,
    }));
    groups.push(...page);
  } while (page.length === pageSize);
  return groups;
}
