import type { IdentityLinkRecord } from "../identities/identity-links.ts";
import type { ObjectId } from "../objects/object-id.ts";
import type { StoredObject } from "../objects/stored-object.ts";
import type { Entrance } from "../sessions/session.ts";

/** An account with its user object. */
export interface FoundAccount {
  readonly account: Account | null;
  readonly user: StoredObject | null;
  /**
   * Objects that the asked-for links of the user object point to, each once; whether they are visible does not count. None of them
   * if they take more than `maximumObjectBytes` together: they need not be read together with the account.
   */
  readonly linked: readonly StoredObject[];
}

export interface ForProof extends FoundAccount {
  readonly decoy: string | null;
}

/** What an account of a provider opens. */
export interface FoundIdentity extends FoundAccount {
  /** `null` if it is bound to nobody: there is no account then. */
  readonly link: IdentityLinkRecord | null;
}

/** Port: the credentials of users. */
export interface AccountRepository {
  /**
   * What a proof of this name needs, at the same cost whether the name is known or not. `account` is the one with exactly
   * this name, disabled ones included, or `null`. `decoy` is the secret of the
   * next account by name, after the last one the first; `null` if there are none. It stands in for the secret of an
   * unknown name, so that the parameters it was hashed with are as likely as among the accounts, and always the same
   * for the same name. `user` is the user object of the account, and `links` are names of its attributes whose targets
   * are wanted, too.
   */
  forProof(loginName: string, links: readonly string[]): Promise<ForProof>;

  /** The same of a user whose identity was proven in another way than by his name and password; disabled accounts included. */
  byUser(userId: ObjectId, links: readonly string[]): Promise<FoundAccount>;

  /** The same of the user whom the record of the kind `identityLink` with this id names as its `userId`, with `id`, `born` and `value` of that. */
  byIdentity(linkId: string, links: readonly string[]): Promise<FoundIdentity>;

  /**
   * Creates an account. `confusableKey` is unique too, which keeps out a name that differs from another only by case
   * or white space. `nameTaken` when the name, the key or the user has one already.
   * A text that is not storable: 307.
   */
  create(account: NewAccount, confusableKey: string): Promise<"created" | "nameTaken">;

  /**
   * Replaces the secret if `expectedVersion` is still current and raises the version; else `stale`, also for unknown
   * users. Sessions opened with the secret before are no longer admitted, but count until they are ended or expire:
   * whoever calls this ends them in the same transaction.
   */
  setSecret(userId: ObjectId, secret: string, expectedVersion: number): Promise<"stored" | "stale">;

  /**
   * Puts another hash of the same password in the place of `secret`, if that is still the one. The version stays, and
   * so do the sessions.
   */
  rehash(userId: ObjectId, secret: string, newSecret: string): Promise<"stored" | "stale">;

  /**
   * Gives an account another log-in name and confusable key; `false` if there is none. Sessions stay. When one of the two is
   * another account's, and for a text that is not storable: 307.
   */
  rename(userId: ObjectId, loginName: string, confusableKey: string): Promise<boolean>;

  /** Gives an account another address for mail, or none; `false` if there is no account. A text that is not storable: 307. */
  setEmail(userId: ObjectId, email: string | null): Promise<boolean>;

  /** Disables or enables an account; `false` if there is none. A disabled account's sessions are not admitted. */
  setDisabled(userId: ObjectId, disabled: boolean): Promise<boolean>;

  /**
   * Removes the accounts of these users, as far as they have any; their sessions are no longer admitted. With them go the custom
   * accounts that are mapped to them, and the records whose owners they are: `user:<id>` of the user, `custom:<id>` of a custom account, and
   * `link:<id>` with the member `id` of each of those of the kind `identityLink`; also of a user who has no account. `lastAdministrator`,
   * and nothing is removed, if no administrator were left whose account is not disabled, though there is one. This holds
   * also for several who remove accounts at once.
   */
  remove(userIds: readonly ObjectId[]): Promise<"removed" | "lastAdministrator">;

  /**
   * At most `limit` of them, disabled ones included, in the order of their log-in names by code points: from the first
   * (`null`), or those after a name.
   */
  list(after: string | null, limit: number): Promise<ListedAccount[]>;
}

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

/** Somebody whose identity was proven. */
export interface Person {
  readonly account: Account;
  /** The account's user object, as it was when the proof began. */
  readonly user: StoredObject;
  /** What the user object points to, as far as it was read with it; not all of it need be visible to the user. */
  readonly linked: readonly StoredObject[];
  readonly entrance: Entrance;
}
