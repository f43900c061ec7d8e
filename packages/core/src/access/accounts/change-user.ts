import { ServiceError } from "../../errors/index.ts";
import { acceptMailAddress } from "../../mail/index.ts";
import type { AdministrationContext } from "../../request/index.ts";
import {
  type Account,
  type AccountId,
  accountOwner,
  type AccountSelector,
  loginNameOf,
  type Realm,
  realmOf,
  type Repositories,
} from "../../storage/index.ts";
import type { PasswordPolicy } from "../passwords/password-policy.ts";
import { passwordResets } from "../passwords/password-reset.ts";
import type { ReplacePassword } from "../passwords/replace-password.ts";
import type { PasswordHasher } from "./verify-password.ts";

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

/** Sets or clears a user's e-mail address. Revokes pending password resets, as another person may read the old mailbox. Unknown name: 304. */
export async function setUserEmail(
  { unit, eventOf }: AdministrationContext,
  { name, email }: { readonly name: AccountReference; readonly email: string | null },
): Promise<void> {
  const address = email === null ? null : acceptMailAddress(email);
  await unit.transaction(async (r) => {
    const { userId } = await requireAccount(r, name);
    await r.records.remove(passwordResets, { owner: accountOwner(userId) });
    if (!(await r.accounts.change(userId, { email: address }))) throw noSuchUser(name);
    await r.audit.append(eventOf({ type: "account.changed", subjectId: userId }));
  });
}

/** Enables or disables a user. Disabling ends all sessions of the user. Returns the number of ended sessions. Unknown name: 304. */
export async function setUserDisabled(
  { unit, eventOf }: AdministrationContext,
  { name, disabled }: { readonly name: AccountReference; readonly disabled: boolean },
): Promise<number> {
  return unit.transaction(async (r) => {
    const { userId } = await requireAccount(r, name);
    if (!(await r.accounts.change(userId, { disabled }))) throw noSuchUser(name);
    await r.audit.append(eventOf({ type: disabled ? "account.disabled" : "account.enabled", subjectId: userId }));
    return disabled ? r.sessions.end({ userId }) : 0;
  });
}

function noSuchUser(name: AccountReference): ServiceError {
  return new ServiceError(304, { detail: `There is no user ${wordsOf(name)}.` });
}

export interface SetUserPasswordInput {
  readonly name: AccountReference;
  /** Plain text, or the client hash. */
  readonly password: string;
}

/** Sets a user's password without the old one and ends all sessions of the user. */
export class SetUserPassword {
  constructor(
    private readonly policy: PasswordPolicy,
    private readonly hasher: PasswordHasher,
    private readonly replace: ReplacePassword,
  ) {}

  /** Unknown name: 304. Password refused by the policy: 320. Concurrent change: 713. */
  async setUserPassword(
    { database, r: outside, unit, eventOf }: AdministrationContext,
    { name, password }: SetUserPasswordInput,
  ): Promise<void> {
    const account = await requireAccount(outside, name);
    const accepted = this.policy.accept({ pass: password, clientHash: database.policy.clientHash });
    const secret = await this.hasher.hash(accepted);
    await unit.transaction(async (r) => {
      if (!(await this.replace.replacePassword(r, account, { secret }))) {
        const detail = `Another request changed the password of the user ${wordsOf(name)} at the same time. Nothing was changed.`;
        throw new ServiceError(713, { detail });
      }
      await r.audit.append(eventOf({ type: "password.changed", subjectId: account.userId }));
    });
  }
}

/** The reference in an error detail. */
export function wordsOf(name: AccountReference): string {
  return typeof name === "string" ? `"${name}"` : `with the id ${name.id}`;
}
