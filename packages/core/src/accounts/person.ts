import type { StoredObject } from "../objects/stored-object.ts";
import type { Account } from "./account.ts";

/** Somebody whose identity was proven. */
export interface Person {
  readonly account: Account;
  /** The account's user object, as it was when the proof began. */
  readonly user: StoredObject;
}
