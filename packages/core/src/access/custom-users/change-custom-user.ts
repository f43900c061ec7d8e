import {
  type Account,
  accountOwner,
  type AuditEventType,
  type ListedAccount,
  type ObjectId,
  type PageRequest,
  realmOf,
  type Repositories,
  seesAll,
  ServiceError,
} from "@sallyport/storage";
import { acceptMailAddress } from "../../mail/index.ts";
import { type AdministrationContext, changesBetween, type Uses } from "../../request/index.ts";
import { type AccountReference, selectorOf, wordsOf } from "../accounts/account-reference.ts";
import type { NewPassword } from "../accounts/passwords.ts";
import { passwordResets } from "../passwords/password-reset.ts";
import { mapCustomAccount } from "./pending-passwords.ts";
import type { PasswordServices } from "../passwords/password-policy.ts";
import { archivePassword } from "../passwords/replace-password.ts";

/** Finds a custom user. Throws 304 for an unknown one. */
export async function requireCustomUser(
  { accounts }: Pick<Repositories, "accounts">,
  name: AccountReference,
): Promise<Account> {
  const { account } = await accounts.find(selectorOf("custom", name), []);
  if (account !== null && realmOf(account.id) === "custom") return account;
  throw new ServiceError(304, { detail: `There is no custom user ${wordsOf(name)}.` });
}

/** Returns the id of the database user to map a custom user to. Throws 304 for an unknown name. */
export async function requireMappedUser(r: Pick<Repositories, "accounts">, name: AccountReference): Promise<ObjectId> {
  const { account } = await r.accounts.find(selectorOf("database", name), []);
  if (account !== null && realmOf(account.id) === "database") return account.userId;
  throw new ServiceError(304, { detail: `There is no database user ${wordsOf(name)}.` });
}

/** Sets or clears the e-mail address. Revokes password resets, as another person may read the old mailbox. Refusals: see `changeCustomUser`. */
export async function setCustomUserEmail(
  context: AdministrationContext,
  { name, email }: { readonly name: AccountReference; readonly email: string | null },
): Promise<void> {
  const address = email === null ? null : acceptMailAddress(email);
  await changeCustomUser(context, name, {
    type: "customUser.changed",
    endsSessions: false,
    make: async (r, { id }) => {
      await r.records.remove(passwordResets, { owner: accountOwner(id) });
      return r.accounts.change(id, { email: address });
    },
  });
}

/** Maps a custom user to another user. Returns the number of ended sessions. Unknown user: 304. Other refusals: see `changeCustomUser`. */
export async function mapCustomUser(
  context: AdministrationContext,
  { name, user }: { readonly name: AccountReference; readonly user: AccountReference },
): Promise<number> {
  return changeCustomUser(context, name, {
    type: "customUser.changed",
    endsSessions: true,
    make: async (r, { id }) => mapCustomAccount(r, id, await requireMappedUser(r, user)),
  });
}

/** Enables or disables a custom user. Disabling ends all sessions. Returns their number. Refusals: see `changeCustomUser`. */
export function setCustomUserDisabled(
  context: AdministrationContext,
  { name, disabled }: { readonly name: AccountReference; readonly disabled: boolean },
): Promise<number> {
  return changeCustomUser(context, name, {
    type: disabled ? "customUser.disabled" : "customUser.enabled",
    endsSessions: disabled,
    make: (r, { id }) => r.accounts.change(id, { disabled }),
  });
}

/** Removes a custom user and the account's records. Returns the number of ended sessions. Refusals: see `changeCustomUser`. */
export function removeCustomUser(context: AdministrationContext, name: AccountReference): Promise<number> {
  return changeCustomUser(context, name, {
    type: "customUser.removed",
    endsSessions: true,
    make: async (r, { id }) => (await r.accounts.remove([id])) === 1,
  });
}

interface Change {
  readonly type: Extract<AuditEventType, `customUser.${string}` | `customPassword.${string}`>;
  readonly endsSessions: boolean;
  /** Returns `false` on a concurrent change. */
  readonly make: (r: Repositories, account: Account) => Promise<boolean>;
}

/** Returns the number of ended sessions. Unknown name: 304. Concurrent change: 713. */
async function changeCustomUser(
  { r: outside, unit, eventOf }: AdministrationContext,
  name: AccountReference,
  { type, endsSessions, make }: Change,
): Promise<number> {
  const account = await requireCustomUser(outside, name);
  return unit.transaction(async (r) => {
    if (!(await make(r, account))) {
      const detail = `Another process changed the custom user ${wordsOf(name)} at the same time. Try again.`;
      throw new ServiceError(713, { detail });
    }
    const { account: changed } = await r.accounts.find({ id: account.id }, []);
    const changes = changesBetween(auditedAccount(account), changed === null ? null : auditedAccount(changed));
    await r.audit.append(eventOf({ type, subjectId: account.userId, changes }));
    return endsSessions ? r.sessions.end({ customAccountId: account.id }) : 0;
  });
}

function auditedAccount({ loginName: name, userId, email, disabled }: Account): object {
  return { name, userId, email, enabled: !disabled };
}

export interface SetCustomPasswordInput extends NewPassword {
  readonly name: AccountReference;
}

/** Returns the number of ended sessions. Password refused by the policy: 320. Other refusals: see `changeCustomUser`. */
export async function setCustomPassword(
  context: AdministrationContext & Uses<Omit<PasswordServices, "random">>,
  { name, ...newPassword }: SetCustomPasswordInput,
): Promise<number> {
  const accepted = context.services.passwordPolicy.accept(
    newPassword,
    context.database.policy.clientHash,
    context.services.settings.customPasswordMinLength,
  );
  const secret = await context.services.hasher.hash(accepted);
  return changeCustomUser(context, name, {
    type: "customPassword.changed",
    endsSessions: true,
    make: async (r, account) => {
      if ((await r.accounts.setSecret(account.id, secret, account.secretVersion)) === "stale") return false;
      await archivePassword(r, account, context.services.settings);
      return true;
    },
  });
}

export interface ListedCustomUser extends ListedAccount {
  /** Name of the mapped database user. Empty if that user is deleted. */
  readonly mappedUserName: string;
}

/** Lists at most `limit` custom users in the order of `AccountRepository.list`. */
export async function listCustomUsers(
  { r }: Pick<AdministrationContext, "r">,
  { after, limit }: PageRequest,
): Promise<ListedCustomUser[]> {
  const listed = await r.accounts.list("custom", after, limit);
  const nameOf = await namesOf(r, listed);
  return listed.map((account) => ({ ...account, mappedUserName: nameOf(account) }));
}

/** Returns one custom user. Throws 304 for an unknown name. */
export async function findCustomUser(
  { r }: Pick<AdministrationContext, "r">,
  name: AccountReference,
): Promise<ListedCustomUser> {
  const { secret: _secret, secretVersion: _version, ...account } = await requireCustomUser(r, name);
  return { ...account, mappedUserName: (await namesOf(r, [account]))(account) };
}

async function namesOf(
  { objects }: Pick<Repositories, "objects">,
  listed: readonly ListedAccount[],
): Promise<(account: ListedAccount) => string> {
  const users = await objects.get([...new Set(listed.map(({ userId }) => userId))], seesAll);
  const names = new Map(users.map(({ id, attributes }) => [id, String(attributes["Name"] ?? "")]));
  return ({ userId }) => names.get(userId) ?? "";
}
