import { type Account, type AuthenticatedAccount, loginNameOf, passwordAuthentication } from "@sallyport/storage";
import type { ClientHash, RequestContext, Uses } from "../../request/index.ts";
import { sentForms } from "./client-password.ts";

/** Port: slow password hashing. Calls are queued. A full queue throws 706. */
export interface PasswordHasher {
  /** Returns the encoded hash of a password. The encoding includes the parameters and a fresh salt. */
  hash(password: string): Promise<string>;

  /**
   * Whether the password matches the encoded hash. `null` stands for an unknown user: the result is `false`, at the
   * cost of verifying the decoy. Without a decoy, the cost is that of a new hash.
   */
  verify(encoded: string | null, password: string, decoy: string | null): Promise<boolean>;

  /** Whether the hash uses other parameters than a new hash. */
  isOutdated(encoded: string): boolean;
}

/** Whether one of the forms matches. Each costs the same, whether an earlier one matches or not. */
export async function verifyForms(
  hasher: PasswordHasher,
  encoded: string | null,
  forms: readonly string[],
  decoy: string | null,
): Promise<boolean> {
  let matches = false;
  for (const form of forms) matches = (await hasher.verify(encoded, form, decoy)) || matches;
  return matches;
}

/** Hashes a verified password again if its hash uses outdated parameters. `null`: there is no need. */
export async function renewedHash(
  hasher: PasswordHasher,
  encoded: string,
  sent: () => readonly string[],
): Promise<string | null> {
  if (!hasher.isOutdated(encoded)) return null;
  const forms = sent();
  for (const form of forms)
    if (forms.length === 1 || (await hasher.verify(encoded, form, null))) return hasher.hash(form);
  return null;
}

export interface GivenPassword {
  readonly pass: string;
  readonly clientHash: ClientHash;
}

/** The given user, the password, and the links of the user object to load with it. */
export interface GivenCredentials extends GivenPassword {
  readonly user: string;
  readonly links: readonly string[];
}

/** A request that verifies passwords. */
export interface HashingContext
  extends Pick<RequestContext, "r" | "database">,
    Uses<{ readonly hasher: PasswordHasher }> {}

/**
 * Verifies a user name and a password. Unknown and disabled users cost and answer the same as a wrong password. The returned function verifies the password and resolves to the person, or to `null`.
 */
export async function preparePasswordProof(
  context: HashingContext,
  { user: name, pass, clientHash, links }: GivenCredentials,
): Promise<() => Promise<AuthenticatedAccount | null>> {
  const { account, user, linked, decoy } = await context.r.accounts.find(
    { realm: "database", loginName: loginNameOf(name) },
    links,
  );
  return async () => {
    const forms = sentForms(pass, clientHash, context.database.digests);
    const proven = await verifyForms(context.services.hasher, account?.secret ?? null, forms, decoy);
    return proven && account !== null && user !== null && !account.disabled
      ? { account, user, linked, authenticationMethod: passwordAuthentication }
      : null;
  };
}

/** Rehashes a verified password if its hash uses outdated parameters. */
export async function renewPassword(
  context: HashingContext,
  { id, secret }: Account,
  { pass, clientHash }: GivenPassword,
): Promise<void> {
  try {
    const renewed = await renewedHash(context.services.hasher, secret, () =>
      sentForms(pass, clientHash, context.database.digests),
    );
    if (renewed !== null) await context.r.accounts.rehash(id, secret, renewed);
  } catch {
    // The log-in does not depend on the rehash. The next log-in tries again.
  }
}
