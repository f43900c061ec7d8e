import type { ObjectId } from "../objects/object-id.ts";
import type { Account, NewAccount } from "./account.ts";

/** Port: the credentials of users. */
export interface AccountRepository {
  /** The account with exactly this name, disabled ones included, or `null`. */
  byLoginName(loginName: string): Promise<Account | null>;

  /**
   * Creates an account. `confusableKey` is unique too, which keeps out a name that differs from another only by case
   * or white space. `nameTaken` when the name, the key or the user has one already.
   */
  create(account: NewAccount, confusableKey: string): Promise<"created" | "nameTaken">;

  /**
   * Replaces the secret if `expectedVersion` is still current and raises the version; else `stale`, also for unknown
   * users. Sessions opened with the secret before are no longer admitted, but count until they are ended or expire:
   * whoever calls this ends them in the same transaction.
   */
  setSecret(userId: ObjectId, secret: string, expectedVersion: number): Promise<"stored" | "stale">;

  /** Disables or enables an account; `false` if there is none. A disabled account's sessions are not admitted. */
  setDisabled(userId: ObjectId, disabled: boolean): Promise<boolean>;
}
