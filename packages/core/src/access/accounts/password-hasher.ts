import type { Digests } from "../../digests/index.ts";
import type { ClientHash } from "../../request/index.ts";

/** Port: slow password hashing. Work is queued; a full queue answers 706. */
export interface PasswordHasher {
  /** The encoded hash of a password, with its parameters and a fresh salt. */
  hash(password: string): Promise<string>;

  /**
   * Whether the password belongs to the encoded hash. `null` stands for a user that does not exist: the answer is
   * `false` and costs as much time as the decoy would, or without one as a hash made now.
   */
  verify(encoded: string | null, password: string, decoy: string | null): Promise<boolean>;

  /** Whether the hash was made with other parameters than a hash made now. */
  isOutdated(encoded: string): boolean;
}

const md5Digits = /^[0-9a-fA-F]{32}$/;

/**
 * The text that is hashed and compared. Under `md5` a plain password is brought into the form that clients send, so
 * that both spellings of one password are the same.
 */
export function clientPassword(pass: string, clientHash: ClientHash, digests: Digests): string {
  if (clientHash === "none") return pass;
  return md5Digits.test(pass) ? pass.toLowerCase() : digests.md5(pass);
}
