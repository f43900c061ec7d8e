import {
  type Account,
  type AuthenticatedAccount,
  type Digests,
  loginNameOf,
  passwordAuthentication,
  ServiceError,
} from "@sallyport/storage";
import type { ClientHash, RequestContext, Uses } from "../../request/index.ts";

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

/**
 * Hashes a verified password again if its hash uses outdated parameters. `null`: there is no need.
 *
 * @param formsOf the forms of the password, one of which was verified; called only if they are needed
 */
export async function renewedHash(
  hasher: PasswordHasher,
  encoded: string,
  formsOf: () => readonly string[],
): Promise<string | null> {
  if (!hasher.isOutdated(encoded)) return null;
  const forms = formsOf();
  // A single form is the verified one. Of several, only the verified one can be hashed.
  for (const form of forms)
    if (forms.length === 1 || (await hasher.verify(encoded, form, null))) return hasher.hash(form);
  return null;
}

export interface PasswordInput {
  readonly pass: string;
  readonly clientHash: ClientHash;
}

/** The login name of a user, the password, and the links of the user object to load with it. */
export interface CredentialsInput extends PasswordInput {
  readonly user: string;
  readonly links: readonly string[];
}

/** A request that verifies passwords. */
export interface HashingContext
  extends Pick<RequestContext, "r" | "database">,
    Uses<{ readonly hasher: PasswordHasher }> {}

/**
 * Verifies a user name and a password. Unknown and disabled users cost and answer the same as a wrong password. The
 * returned function verifies the password and resolves to the account, or to `null`.
 */
export async function preparePasswordProof(
  context: HashingContext,
  { user: name, pass, clientHash, links }: CredentialsInput,
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
  { pass, clientHash }: PasswordInput,
): Promise<void> {
  try {
    const renewed = await renewedHash(context.services.hasher, secret, () =>
      sentForms(pass, clientHash, context.database.digests),
    );
    if (renewed !== null) await context.r.accounts.setSecret(id, renewed, { secret });
  } catch {
    // The log-in does not depend on the rehash. The next log-in tries again.
  }
}

/** A new password of a tool. Exactly one member; otherwise 307. */
export interface NewPassword {
  /** As a person types it, also if it looks like an MD5. */
  readonly password?: string | undefined;
  /** The MD5 of a password, as clients compute it: 32 hexadecimal digits. */
  readonly passwordDigest?: string | undefined;
}

const md5Digits = /^[0-9a-f]{32}$/i;

/** Whether a password that a client sends is the MD5 of one. */
export function isSentDigest(pass: string, clientHash: ClientHash): boolean {
  return clientHash === "md5" && md5Digits.test(pass);
}

/**
 * The texts to compare with the stored one, of a password as a client sends it. Plain text becomes its MD5 under `md5`.
 * Text that is not in NFC has two forms: secrets can come from clients that do not normalize.
 */
export function sentForms(pass: string, clientHash: ClientHash, digests: Digests): readonly string[] {
  if (isSentDigest(pass, clientHash)) return [pass.toLowerCase()];
  const composed = pass.normalize("NFC");
  const forms = composed === pass ? [pass] : [composed, pass];
  return clientHash === "none" ? forms : forms.map((form) => digests.md5(form));
}

/** The text that clients send of a typed password: its MD5 under `md5`, of the NFC form. */
export function typedPassword(password: string, clientHash: ClientHash, digests: Digests): string {
  const text = password.normalize("NFC");
  return clientHash === "none" ? text : digests.md5(text);
}

/** The text to hash of a new password. 307 for both or no member, an invalid digest, or clients that send no digests. */
export function newPasswordText(
  { password, passwordDigest }: NewPassword,
  clientHash: ClientHash,
  digests: Digests,
): string {
  if ((password === undefined) === (passwordDigest === undefined))
    throw new ServiceError(307, { detail: "Exactly one of password and passwordDigest is required." });
  if (password !== undefined) return typedPassword(password, clientHash, digests);
  if (!isSentDigest(passwordDigest ?? "", clientHash)) {
    const detail =
      clientHash === "md5"
        ? "passwordDigest must be an MD5 of 32 hexadecimal digits."
        : "The clients of this database send plain text, so it has no digests of passwords.";
    throw new ServiceError(307, { detail });
  }
  return (passwordDigest ?? "").toLowerCase();
}
