import { confusableKeyOf, loginNameOf } from "../accounts/login-name.ts";
import type { Digest } from "../digests/digests.ts";
import type { ObjectId } from "../objects/object-id.ts";

/** What a proof of a name needs, at the same cost whether the name is known or not. */
export interface ForCustomProof {
  readonly account: CustomAccount | null;
  /** As of `AccountRepository.forProof`. */
  readonly decoy: string | null;
}

/** Port: the accounts of those who are no database users. */
export interface CustomAccountRepository {
  forProof(loginName: string): Promise<ForCustomProof>;

  /** Disabled ones included; `null` if there is none. */
  find(id: string): Promise<CustomAccount | null>;

  /** `nameTaken` when the name or the confusable key is another's, or the id is. A text that is not storable: 307. */
  create(account: NewCustomAccount, confusableKey: string): Promise<"created" | "nameTaken">;

  /**
   * Replaces the secret if `expectedVersion` is current, raises the version and forgets a pending one; else `stale`, also for
   * unknown accounts. Sessions opened before are no longer admitted.
   */
  setSecret(id: string, secret: string, expectedVersion: number): Promise<"stored" | "stale">;

  /** Puts another hash of the same password in the place of `secret`. */
  rehash(id: string, secret: string, newSecret: string): Promise<"stored" | "stale">;

  /**
   * Keeps a new password until it is confirmed, in the place of one that waited, if `expectedVersion` is current; else `stale`, also
   * for unknown accounts. What is current stays so until then.
   */
  request(id: string, pending: PendingPassword, expectedVersion: number): Promise<"kept" | "stale">;

  /**
   * Makes the pending password the current one if the code is its own and neither its time nor its tries are used up: then the
   * new version, and nothing waits any more. Otherwise `null`, and a try is used up. However many try at once, the tries are not
   * exceeded, and one succeeds. Sessions opened before are no longer admitted.
   */
  confirm(id: string, code: Digest): Promise<number | null>;

  /** `false` if there is no such account. A text that is not storable: 307. */
  setEmail(id: string, email: string | null): Promise<boolean>;

  /**
   * Maps it to another user and raises the version: sessions opened before are no longer admitted, nor one that is being opened. A
   * password that waits to be confirmed stays. `false` if there is no such account.
   */
  setUser(id: string, userId: ObjectId): Promise<boolean>;

  /** Disables or enables; `false` if there is none. A disabled account's sessions are not admitted. */
  setDisabled(id: string, disabled: boolean): Promise<boolean>;

  /**
   * `false` if there was none. Its sessions are no longer admitted. What names it as its subject stays: `AccountRepository.remove` takes that
   * along, this does not.
   */
  remove(id: string): Promise<boolean>;

  /** At most `limit`, by login name in the order of code points: from the first (`null`), or those after a name. */
  list(after: string | null, limit: number): Promise<ListedCustomAccount[]>;
}

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

/**
 * Whose failures those of a custom account are. Spellings of a name count together: what decides about custom users may take several of
 * them for one.
 */
export function customUserKey(loginName: string): string {
  return `custom\u0000${confusableKeyOf(loginNameOf(loginName))}`;
}
