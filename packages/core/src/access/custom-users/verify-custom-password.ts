import { type Account, type AccountRepository, type AuthenticatedAccount, loginNameOf } from "@sallyport/storage";
import { type HashingContext, renewedHash, sentForms, verifyForms } from "../accounts/passwords.ts";

/** Verifies custom users by password. Unknown and disabled users cost and answer the same as a wrong password. */
export async function prepareCustomPasswordProof(
  context: HashingContext,
  { user, pass, links }: CustomCredentials,
): Promise<() => Promise<ProvenCustomUser | null>> {
  const { r, database } = context;
  const { account, decoy } = await r.accounts.find({ realm: "custom", loginName: loginNameOf(user) }, []);
  return async () => {
    const forms = sentForms(pass, database.policy.clientHash, context.database.digests);
    const proven = await verifyForms(context.services.hasher, account?.secret ?? null, forms, decoy);
    if (!proven || account === null) return null;
    const authenticated = await mappedUser(r.accounts, account, links);
    return authenticated && { authenticated, afterwards: () => renewCustomPassword(context, account, forms) };
  };
}

/** Rehashes a verified password if its hash uses outdated parameters. */
async function renewCustomPassword(
  context: HashingContext,
  { id, secret }: Account,
  forms: readonly string[],
): Promise<void> {
  const renewed = await renewedHash(context.services.hasher, secret, () => forms);
  if (renewed !== null) await context.r.accounts.setSecret(id, renewed, { secret });
}

export interface CustomCredentials {
  readonly user: string;
  /** Plain text, or the client hash. */
  readonly pass: string;
  readonly appNames: readonly string[];
  readonly links: readonly string[];
}

export interface ProvenCustomUser {
  readonly authenticated: AuthenticatedAccount;
  /** Work to run after the log-in. Its failure is ignored. */
  readonly afterwards: () => Promise<void>;
}

/** Returns the mapped database user of a custom account. `null` if either account is disabled, or the database user is deleted. */
export async function mappedUser(
  accounts: AccountRepository,
  custom: Account,
  links: readonly string[],
): Promise<AuthenticatedAccount | null> {
  if (custom.disabled) return null;
  const { account, user, linked } = await accounts.find({ id: custom.userId }, links);
  if (account === null || account.disabled || user === null) return null;
  return {
    account,
    user,
    linked,
    authenticationMethod: { kind: "custom", accountId: custom.id, secretVersion: custom.secretVersion },
  };
}
