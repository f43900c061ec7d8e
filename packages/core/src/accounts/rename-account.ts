import { faultAt } from "../errors/service-error.ts";
import type { ObjectId } from "../objects/object-id.ts";
import type { AccountRepository } from "./account-repository.ts";
import { confusableKeyOf, loginNameOf } from "./login-name.ts";

const longestName = 1_024;

/** Whether somebody can log in by a name. */
export function isUserName(name: string): boolean {
  return name.trim() !== "" && name.length <= longestName;
}

/** The name of a user as it is stored: one that nobody could log in with is 307. */
export function userName(name: string): string {
  if (!isUserName(name)) throw faultAt("/Name", `A name of at most ${longestName} characters is expected.`);
  return loginNameOf(name);
}

/** Lets a user who has an account log in by another name from now on. One that is taken, or looks like one that is: 307. */
export async function renameAccount(accounts: AccountRepository, userId: ObjectId, name: string): Promise<void> {
  const loginName = userName(name);
  await accounts.change(userId, { name: { loginName, confusableKey: confusableKeyOf(loginName) } });
}
