import type { AdministrationContext } from "../../request/index.ts";
import { type ListedAccount, type Part, type Repositories, seesAll } from "../../storage/index.ts";
import { requireCustomUser } from "./change-custom-user.ts";

export interface ListedCustomUser extends ListedAccount {
  /** Name of the database user as whom the custom user works; empty where that is gone. */
  readonly worksAs: string;
}

/** At most `limit` custom users in the order of `AccountRepository.list`. */
export async function listCustomUsers(
  { r }: Pick<AdministrationContext, "r">,
  { after, limit }: Part,
): Promise<ListedCustomUser[]> {
  const listed = await r.accounts.list("custom", after, limit);
  const nameOf = await namesOf(r, listed);
  return listed.map((account) => ({ ...account, worksAs: nameOf(account) }));
}

/** One custom user. An unknown name: 304. */
export async function findCustomUser({ r }: Pick<AdministrationContext, "r">, name: string): Promise<ListedCustomUser> {
  const { secret: _secret, secretVersion: _version, ...account } = await requireCustomUser(r, name);
  return { ...account, worksAs: (await namesOf(r, [account]))(account) };
}

/** Tells the name of the database user of any of these. */
async function namesOf(
  { objects }: Pick<Repositories, "objects">,
  listed: readonly ListedAccount[],
): Promise<(account: ListedAccount) => string> {
  const users = await objects.get([...new Set(listed.map(({ userId }) => userId))], seesAll);
  const names = new Map(users.map(({ id, attributes }) => [id, String(attributes["Name"] ?? "")]));
  return ({ userId }) => names.get(userId) ?? "";
}
