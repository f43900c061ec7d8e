import type { Digest } from "../digests/digest.ts";
import type { CustomAccount, ListedCustomAccount, NewCustomAccount, PendingPassword } from "./custom-account.ts";

/** What a proof of a name needs, at the same cost whether the name is known or not. */
export interface ForCustomProof {
  readonly account: CustomAccount | null;
  /** As of `AccountRepository.forProof`. */
  readonly decoy: string | null;
}

/** Port: the accounts of those who are no database users. */
export interface CustomAccountRepository {
  forProof(loginName: string): Promise<ForCustomProof>;

  find(id: string): Promise<CustomAccount | null>;

  /** `nameTaken` when the name or the confusable key is another's. A text that is not storable: 307. */
  create(account: NewCustomAccount, confusableKey: string): Promise<"created" | "nameTaken">;

  /** Replaces the secret if `expectedVersion` is current, raises the version and forgets a pending one. Sessions opened before are no longer admitted. */
  setSecret(id: string, secret: string, expectedVersion: number): Promise<"stored" | "stale">;

  /** Puts another hash of the same password in the place of `secret`. */
  rehash(id: string, secret: string, newSecret: string): Promise<"stored" | "stale">;

  /** Keeps a new password until it is confirmed, in the place of one that waited; `false` if there is no such account. */
  request(id: string, pending: PendingPassword): Promise<boolean>;

  /**
   * Makes the pending password the current one if the code is its own and neither its time nor its tries are used up: then the
   * new version. Otherwise `null`, and a try is used up. However many try at once, the tries are not exceeded.
   */
  confirm(id: string, code: Digest): Promise<number | null>;

  setEmail(id: string, email: string | null): Promise<boolean>;

  /** Disables or enables; `false` if there is none. A disabled account's sessions are not admitted. */
  setDisabled(id: string, disabled: boolean): Promise<boolean>;

  /** `false` if there was none. Its sessions are no longer admitted. */
  remove(id: string): Promise<boolean>;

  /** At most `limit`, by login name in the order of code points: from the first (`null`), or those after a name. */
  list(after: string | null, limit: number): Promise<ListedCustomAccount[]>;
}
