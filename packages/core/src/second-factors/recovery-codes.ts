import type { Digest, Digests, RandomSource } from "../digests/digests.ts";

const count = 10;

/** The digits of Base32: none of them is taken for another. */
const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Four groups of four digits, 80 bits. */
const groups = /.{4}(?=.)/g;

/** As somebody types it: in either case, with hyphens and blanks anywhere. */
const typed = /^[A-Za-z2-7 -]{16,40}$/;

/** Ten new codes, to be shown once. */
export function newRecoveryCodes(random: RandomSource): string[] {
  return Array.from({ length: count }, () => {
    // 32 divides 256, so every digit is as likely as any other.
    const text = Array.from(random.bytes(16), (byte) => digits[byte % digits.length]).join("");
    return text.replaceAll(groups, "$&-");
  });
}

/** What is kept of a recovery code; `null` for a text that is none. */
export function recoveryDigest(digests: Digests, text: string): Digest | null {
  if (!typed.test(text)) return null;
  const code = text.replaceAll(/[ -]/g, "").toUpperCase();
  return code.length === 16 ? digests.sha256(code) : null;
}
