import type { StoredObject } from "../objects/stored-object.ts";
import type { Entrance } from "../sessions/entrance.ts";
import type { Account } from "./account.ts";

/** Somebody whose identity was proven. */
export interface Person {
  readonly account: Account;
  /** The account's user object, as it was when the proof began. */
  readonly user: StoredObject;
  /** What the user object points to, as far as it was read with it; not all of it need be visible to the user. */
  readonly linked: readonly StoredObject[];
  readonly entrance: Entrance;
}
