import type { AppKeyContext } from "../../request/index.ts";
import {
  type Account,
  type AuditEventType,
  loginNameOf,
  type Realm,
  type RecordKind,
  type RecordValue,
  type Repositories,
} from "../../storage/index.ts";
import { shortestPassword } from "./password-policy.ts";

/** Resets that were asked for, by the SHA-256 of their token; they belong to the owner of the account's records. */
export const passwordResets: RecordKind = "passwordReset";

/** What a reset by mail is for the accounts of one realm. */
export interface PasswordReset {
  readonly realm: Realm;
  readonly event: Extract<AuditEventType, "password.reset" | "customPassword.reset">;
  /** The member that says whose password a token sets. */
  readonly idMember: "userId" | "customAccountId";
  /** Characters of a new password at least, where it is seen as its owner types it. */
  readonly shortest: number;
  /** Whether passwords of this kind are kept here at all: the same for every account. */
  isPossible(context: AppKeyContext): Promise<boolean>;
  /** Whether an account that is not disabled itself is kept out. Awaits nothing but `r`. */
  isKeptOut(r: Repositories, account: Account): Promise<boolean>;
}

export interface PasswordResets {
  readonly own: PasswordReset;
  readonly custom: PasswordReset;
}

/** Resets of database users. */
export const ownPasswordReset: PasswordReset = {
  realm: "database",
  event: "password.reset",
  idMember: "userId",
  shortest: shortestPassword,
  isPossible: async () => true,
  isKeptOut: async () => false,
};

/** The account that a name means; `null` if there is none, or it is disabled. Awaits nothing but `r`. */
export async function accountNamed(r: Repositories, reset: PasswordReset, user: string): Promise<Account | null> {
  const { account } = await r.accounts.find({ realm: reset.realm, loginName: loginNameOf(user) }, []);
  return admitted(r, reset, account);
}

/** What a token stands for that sets another password in the place of the current one. */
export function resetPayload({ idMember }: PasswordReset, { id, secretVersion }: Account): RecordValue {
  return { [idMember]: id, secretVersion };
}

/** Whose password a token sets; `null` where it sets none of this kind, or none any more. */
export async function accountMeant(
  r: Repositories,
  reset: PasswordReset,
  payload: RecordValue,
): Promise<Account | null> {
  const given = payload as {
    readonly userId?: string;
    readonly customAccountId?: string;
    readonly secretVersion: number;
  };
  const id = given[reset.idMember];
  if (id === undefined) return null;
  const { account } = await r.accounts.find({ id }, []);
  return account?.secretVersion === given.secretVersion ? admitted(r, reset, account) : null;
}

async function admitted(r: Repositories, reset: PasswordReset, account: Account | null): Promise<Account | null> {
  return account === null || account.disabled || (await reset.isKeptOut(r, account)) ? null : account;
}
