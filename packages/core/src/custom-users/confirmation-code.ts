import type { Digest } from "../digests/digest.ts";
import type { Digests } from "../digests/digests.ts";
import type { RandomSource } from "../digests/random-source.ts";

/** Without what is taken for something else: no I, O, 0 and 1. As many as five bits tell apart, so that all are as likely. */
const letters = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";

const half = 4;

/** Forty bits in two groups that can be typed: `K7QX-M2RB`. */
export function confirmationCode(random: RandomSource): string {
  const code = Array.from(random.bytes(2 * half), (byte) => letters[byte % letters.length]).join("");
  return `${code.slice(0, half)}-${code.slice(half)}`;
}

/** What storage keeps of a code: good for one account only, however it was typed. */
export function codeDigest(digests: Digests, accountId: string, code: string): Digest {
  return digests.sha256(`confirmation code\u0000${accountId}\u0000${code.toUpperCase().replaceAll(/[\s-]/g, "")}`);
}
