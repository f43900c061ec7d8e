import {
  type Account,
  type AccountId,
  type AccountSelector,
  loginNameOf,
  type Realm,
  realmOf,
  type Repositories,
  ServiceError,
} from "@sallyport/storage";

/** Names an account: by log-in name, or by id. */
export type AccountReference = string | { readonly id: AccountId };

/** Finds the account of a database user. Throws 304 for an unknown one. */
export async function requireAccount(
  { accounts }: Pick<Repositories, "accounts">,
  name: AccountReference,
): Promise<Account> {
  const { account } = await accounts.find(selectorOf("database", name), []);
  if (account === null || realmOf(account.id) !== "database") throw noSuchUser(name);
  return account;
}

export function selectorOf(realm: Realm, name: AccountReference): AccountSelector {
  return typeof name === "string" ? { realm, loginName: loginNameOf(name) } : name;
}

/** 304 for a user that does not exist. */
export function noSuchUser(name: AccountReference): ServiceError {
  return new ServiceError(304, { detail: `There is no user ${wordsOf(name)}.` });
}

/** The reference in an error detail. */
export function wordsOf(name: AccountReference): string {
  return typeof name === "string" ? `"${name}"` : `with the id ${name.id}`;
}
