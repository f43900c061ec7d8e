import type { Digest } from "../digests/digests.ts";

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** 256 bits in 43 characters: the last has two bits that say nothing, and are zero. */
const challengeForm = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;

/** What a challenge of PKCE (RFC 7636, `S256`) is a digest of; `null` if it is none. */
export function digestOfChallenge(challenge: string): Digest | null {
  if (!challengeForm.test(challenge)) return null;
  let bits = 0n;
  for (const character of challenge) bits = (bits << 6n) | BigInt(alphabet.indexOf(character));
  return (bits >> 2n).toString(16).padStart(64, "0");
}

/** Whether a text can be a verifier of PKCE. */
export function isVerifier(text: string): boolean {
  return /^[A-Za-z0-9._~-]{43,128}$/.test(text);
}
