import type { Digest } from "../digests/digest.ts";
import type { ObjectId } from "../objects/object-id.ts";

/** Somebody who is no database user and logs in with a name and a password of his own, as the database user he is mapped to. */
export interface CustomAccount {
  /** A UUID in lower case. */
  readonly id: string;
  /** Unicode NFC; compared exactly. Names of custom accounts and of database users know nothing of one another. */
  readonly loginName: string;
  /** Id of the `User` object as which he works. */
  readonly userId: ObjectId;
  /** Where his mail goes; `null`: nowhere. */
  readonly email: string | null;
  /** The stored password hash, as the password hasher encodes it. */
  readonly secret: string;
  /** Raised by every change of the secret, and of the user. */
  readonly secretVersion: number;
  readonly disabled: boolean;
}

export type NewCustomAccount = Omit<CustomAccount, "secretVersion" | "disabled">;

/** As lists show it: without anything that opens it. */
export type ListedCustomAccount = Omit<CustomAccount, "secret" | "secretVersion">;

/** A new password that waits to be confirmed. */
export interface PendingPassword {
  readonly secret: string;
  /** SHA-256 of what confirms it. */
  readonly code: Digest;
  /** Milliseconds for which it can be confirmed. */
  readonly lifetime: number;
  /** How often a wrong code may be tried. */
  readonly tries: number;
}
