import { type Digests, ServiceError } from "@sallyport/storage";
import type { ClientHash } from "../../request/index.ts";

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
