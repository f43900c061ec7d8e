import type { Digest } from "./digest.ts";

/** Port: one-way functions over UTF-8 text. */
export interface Digests {
  sha256(text: string): Digest;
  /** MD5 as 32 lowercase hexadecimal digits; the form in which clients send passwords, never a protection. */
  md5(text: string): string;
}
