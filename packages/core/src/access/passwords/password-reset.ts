import type { AppKeyContext, Uses } from "../../request/index.ts";
import {
  type Account,
  type AuditEventType,
  loginNameOf,
  type Realm,
  type RecordKind,
  type RecordValue,
  type Repositories,
} from "@sallyport/storage";
import type { ObjectServices } from "../../objects/index.ts";

/** Pending resets by the SHA-256 of their token. Their owner is the account. */
export const passwordResets: RecordKind = "passwordReset";

/** Password reset by e-mail for the accounts of one realm. */
export interface PasswordReset {
  readonly realm: Realm;
  readonly event: Extract<AuditEventType, "password.reset.completed" | "customPassword.reset.completed">;
  /** The payload member with the account id. */
  readonly idMember: "userId" | "customAccountId";
  /** Whether the server stores passwords of this realm. */
  isPossible(context: AppKeyContext & Uses<ObjectServices>): Promise<boolean>;
  /** Whether an enabled account is blocked otherwise. Awaits only calls on `r`. */
  isKeptOut(r: Repositories, account: Account): Promise<boolean>;
}

export const ownPasswordReset: PasswordReset = {
  realm: "database",
  event: "password.reset.completed",
  idMember: "userId",
  isPossible: async () => true,
  isKeptOut: async () => false,
};

/** Returns the account with the name. `null` if it is missing, disabled or blocked. Awaits only calls on `r`. */
export async function accountNamed(r: Repositories, reset: PasswordReset, user: string): Promise<Account | null> {
  const { account } = await r.accounts.find({ realm: reset.realm, loginName: loginNameOf(user) }, []);
  return admitted(r, reset, account);
}

/** Returns the payload of a reset token. */
export function resetPayload({ idMember }: PasswordReset, { id, secretVersion }: Account): RecordValue {
  return { [idMember]: id, secretVersion };
}

/** Returns the account of a token. `null` if the token is of another realm or no longer valid. */
export async function accountOfReset(
  r: Repositories,
  reset: PasswordReset,
  payload: RecordValue,
): Promise<Account | null> {
  const claims = payload as {
    readonly userId?: string;
    readonly customAccountId?: string;
    readonly secretVersion: number;
  };
  const id = claims[reset.idMember];
  if (id === undefined) return null;
  const { account } = await r.accounts.find({ id }, []);
  return account?.secretVersion === claims.secretVersion ? admitted(r, reset, account) : null;
}

async function admitted(r: Repositories, reset: PasswordReset, account: Account | null): Promise<Account | null> {
  return account === null || account.disabled || (await reset.isKeptOut(r, account)) ? null : account;
}
