import type { AccountRepository } from "../accounts/account-repository.ts";
import type { Person } from "../accounts/person.ts";
import type { CustomAccount } from "./custom-account.ts";

/** As whom a custom user works; `null` if that is nobody: when his account or that of the database user is disabled or gone. */
export async function mappedPerson(
  accounts: AccountRepository,
  custom: CustomAccount,
  links: readonly string[],
): Promise<Person | null> {
  if (custom.disabled) return null;
  const { account, user, linked } = await accounts.byUser(custom.userId, links);
  if (account === null || account.disabled || user === null) return null;
  return {
    account,
    user,
    linked,
    entrance: { kind: "custom", accountId: custom.id, secretVersion: custom.secretVersion },
  };
}
