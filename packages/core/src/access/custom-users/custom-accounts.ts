import {
  type Account,
  type AccountId,
  confusableKeyOf,
  loginNameOf,
  type ObjectId,
  type Repositories,
} from "../../storage/index.ts";
import { PendingPasswords } from "./pending-passwords.ts";

/** The custom account with exactly this name, which is Unicode NFC. */
export async function findCustomAccount(
  { accounts }: Pick<Repositories, "accounts">,
  loginName: string,
): Promise<Account | null> {
  return (await accounts.find({ realm: "custom", loginName }, [])).account;
}

/**
 * Has a custom account work as another user; a password that waits to be confirmed goes on waiting. `false` if there is no such account. Belongs
 * into a transaction, in which the caller ends its sessions.
 */
export async function mapCustomAccount(
  r: Pick<Repositories, "accounts" | "records">,
  id: AccountId,
  userId: ObjectId,
): Promise<boolean> {
  if (!(await r.accounts.change(id, { userId }))) return false;
  await new PendingPasswords(r).follow(id);
  return true;
}

/** Whose history, resets and second factors those of a custom user are. */
export function customSubject(accountId: AccountId): string {
  return `custom:${accountId}`;
}

/**
 * Whose failures those of a custom account are. Spellings of a name count together: what decides about custom users may take several of
 * them for one.
 */
export function customUserKey(loginName: string): string {
  return `custom\u0000${confusableKeyOf(loginNameOf(loginName))}`;
}
