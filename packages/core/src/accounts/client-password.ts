import type { Digests } from "../digests/digests.ts";

/** How clients prepare a password: `md5` sends its MD5 in hexadecimal digits, `none` the text itself. */
export type ClientHash = "md5" | "none";

const md5Digits = /^[0-9a-fA-F]{32}$/;

/**
 * The text that is hashed and compared. Under `md5` a plain password is brought into the form that clients send, so
 * that both spellings of one password are the same.
 */
export function clientPassword(pass: string, clientHash: ClientHash, digests: Digests): string {
  if (clientHash === "none") return pass;
  return md5Digits.test(pass) ? pass.toLowerCase() : digests.md5(pass);
}
