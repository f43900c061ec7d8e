import { accountOwner, ServiceError } from "@sallyport/storage";
import { acceptMailAddress } from "../../mail/index.ts";
import { type AdministrationContext, changesBetween, type Uses } from "../../request/index.ts";
import { takeAccess } from "../rules/last-administrator.ts";
import { passwordResets } from "../passwords/password-reset.ts";
import { type AccountReference, noSuchUser, requireAccount, wordsOf } from "./account-reference.ts";
import type { NewPassword } from "./passwords.ts";
import type { PasswordServices } from "../passwords/password-policy.ts";
import { replacePassword } from "../passwords/replace-password.ts";

/** Sets or clears a user's e-mail address. Revokes pending password resets, as another person may read the old mailbox. Unknown name: 304. */
export async function setUserEmail(
  { unit, eventOf }: AdministrationContext,
  { name, email }: { readonly name: AccountReference; readonly email: string | null },
): Promise<void> {
  const address = email === null ? null : acceptMailAddress(email);
  await unit.transaction(async (r) => {
    const { userId, email: former } = await requireAccount(r, name);
    await r.records.remove(passwordResets, { owner: accountOwner(userId) });
    if (!(await r.accounts.change(userId, { email: address }))) throw noSuchUser(name);
    const changes = changesBetween({ email: former }, { email: address });
    await r.audit.append(eventOf({ type: "account.changed", subjectId: userId, changes }));
  });
}

/** Enables or disables a user. Disabling ends all sessions of the user. Returns the number of ended sessions. Unknown name: 304. The last administrator who can log in: 307. */
export async function setUserDisabled(
  { database, unit, eventOf }: AdministrationContext,
  { name, disabled }: { readonly name: AccountReference; readonly disabled: boolean },
): Promise<number> {
  const now = await database.clock.now(unit);
  return unit.transaction(async (r) => {
    const { userId, ...former } = await requireAccount(r, name);
    const change = () => r.accounts.change(userId, { disabled });
    const refusal = new ServiceError(307, { detail: "The last administrator cannot be disabled." });
    // Enabling takes access from no one.
    const users = disabled ? [userId] : [];
    if (!(await takeAccess({ r, database, now }, { users, change, refusal }))) throw noSuchUser(name);
    const type = disabled ? "account.disabled" : "account.enabled";
    const changes = changesBetween({ enabled: !former.disabled }, { enabled: !disabled });
    await r.audit.append(eventOf({ type, subjectId: userId, changes }));
    return disabled ? r.sessions.end({ userId }) : 0;
  });
}

export interface SetUserPasswordInput extends NewPassword {
  readonly name: AccountReference;
}

/**
 * Sets a user's password without the old one and ends all sessions of the user. Unknown name: 304. Password refused by
 * the policy: 320. Concurrent change: 713.
 */
export async function setUserPassword(
  context: AdministrationContext & Uses<Omit<PasswordServices, "random">>,
  { name, ...newPassword }: SetUserPasswordInput,
): Promise<void> {
  const { database, r: outside, unit, eventOf } = context;
  const account = await requireAccount(outside, name);
  const accepted = context.services.passwordPolicy.accept(newPassword, database.policy.clientHash);
  const secret = await context.services.hasher.hash(accepted);
  await unit.transaction(async (r) => {
    if (!(await replacePassword(r, account, { secret }, context.services.settings))) {
      const detail = `Another request changed the password of the user ${wordsOf(name)} at the same time. Nothing was changed.`;
      throw new ServiceError(713, { detail });
    }
    await r.audit.append(eventOf({ type: "password.changed", subjectId: account.userId }));
  });
}
