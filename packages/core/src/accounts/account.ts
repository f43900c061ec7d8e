import type { ObjectId } from "../objects/object-id.ts";

/** The credentials of a `User` object, kept apart from it: nothing here is readable as an attribute. */
export interface Account {
  /** Id of the `User` object. */
  readonly userId: ObjectId;
  /** Unicode NFC; compared exactly. */
  readonly loginName: string;
  /** The stored password hash, as the password hasher encodes it. */
  readonly secret: string;
  /** Raised by every change of the secret. */
  readonly secretVersion: number;
  readonly administrator: boolean;
  readonly disabled: boolean;
  /** Where the user's mail goes; `null`: nowhere. */
  readonly email: string | null;
}

/** An address that is not given is `null`. */
export type NewAccount = Pick<Account, "userId" | "loginName" | "secret" | "administrator"> &
  Partial<Pick<Account, "email">>;

/** An account as lists show it: without anything that opens it. */
export type ListedAccount = Omit<Account, "secret" | "secretVersion">;
