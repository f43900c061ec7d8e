import type { IdentityLinkRecord } from "./entities/identity-links.ts";
import { isObjectId, isUuid, type ObjectId } from "./entities/object-id.ts";
import type { AuthenticationMethod } from "./entities/session.ts";
import type { StoredObject } from "./entities/stored-object.ts";

/**
 * Whose accounts: those of database users, or those of custom users, who log in with credentials of their own as a database user. The names of
 * one realm know nothing of those of the other.
 */
export type Realm = "database" | "custom";

/** Id of an account: in the realm `database` that of the `User` object, in the realm `custom` a UUID in lower case. */
export type AccountId = string;

/** The realm of an id; `null` of a text that can be no account's. */
export function realmOf(id: AccountId): Realm | null {
  if (isUuid(id)) return "custom";
  return isObjectId(id) ? "database" : null;
}

/** The owner of the records of an account, which go with it; also whose password history, resets and second factors they are. */
export function accountOwner(id: AccountId): string {
  return `${realmOf(id) === "custom" ? "custom" : "user"}:${id}`;
}

/** Names all sessions of an account. */
export function accountSessions(id: AccountId): { readonly customAccountId: string } | { readonly userId: ObjectId } {
  return realmOf(id) === "custom" ? { customAccountId: id } : { userId: id };
}

/** An account by its name, its id, or the id of the record of the kind `identityLink` that names a database user. */
export type AccountSelector =
  | { readonly realm: Realm; readonly loginName: string }
  | { readonly id: AccountId }
  | { readonly linkId: string };

/** What a log-in needs to know of an account. */
export interface FoundAccount {
  /** Disabled ones included; `null` if there is none. */
  readonly account: Account | null;
  /** Of a database user the user object; `null` if there is none, and of a custom user. */
  readonly user: StoredObject | null;
  /**
   * Objects that the asked-for links of `user` point to, each once; whether they are visible does not count. None of them
   * if they take more than `maximumObjectBytes` together: they need not be read together with the account.
   */
  readonly linked: readonly StoredObject[];
  /**
   * Where a name is asked for, the secret of the next account of the realm by name, after the last one the first; `null` if there are none. It
   * stands in for the secret of an unknown name, so that the parameters it was hashed with are as likely as among the accounts, and always the
   * same for the same name.
   */
  readonly decoy: string | null;
  /** Where a link is asked for, what its record holds, also without an account; `null` if there is no such record. */
  readonly link: IdentityLinkRecord | null;
}

/** What is to change. A custom account that is mapped to another user gets a higher version of its secret. */
export interface AccountChange {
  /** The confusable key of a name keeps out names that differ from it only by case or white space. */
  readonly name?: { readonly loginName: string; readonly confusableKey: string };
  readonly email?: string | null;
  readonly disabled?: boolean;
  /** Of custom accounts only. */
  readonly userId?: ObjectId;
}

/**
 * Port: the credentials of database users and of custom users. A disabled account's sessions are not admitted, nor those that were opened with
 * another version of its secret than it has; they count until they are ended or expire.
 */
export interface AccountRepository {
  /**
   * Finds an account, and what its user object points to by the attributes `links`. A name costs the same whether it is known or not, and is
   * compared exactly.
   */
  find(selector: AccountSelector, links: readonly string[]): Promise<FoundAccount>;

  /**
   * Creates an account. `nameTaken` when the name or the confusable key is another's in the realm, or the id has an account. A text that is not
   * storable: 307.
   */
  create(account: NewAccount, confusableKey: string): Promise<"created" | "nameTaken">;

  /**
   * Changes what is given; `false` if there is no account, and for another user of a database user's account. When the name or the key is
   * another's, and for a text that is not storable: 307.
   */
  change(id: AccountId, change: AccountChange): Promise<boolean>;

  /**
   * Replaces the secret if `expectedVersion` is still current and raises the version by one; else `stale`, also for unknown accounts. Callers end the
   * sessions in the same transaction.
   */
  setSecret(id: AccountId, secret: string, expectedVersion: number): Promise<"stored" | "stale">;

  /**
   * Puts another hash of the same password in the place of `secret`, if that is still the one. The version stays, and
   * so do the sessions.
   */
  rehash(id: AccountId, secret: string, newSecret: string): Promise<"stored" | "stale">;

  /**
   * Removes accounts; how many there were. With them go, also of a database user who has no account, the custom accounts that are mapped to
   * them, and the records whose owners they are: `user:<id>` of a database user, `custom:<id>` of a custom account, and `link:<id>` with the
   * member `id` of each of those records that are of the kind `identityLink`. `lastAdministrator`, and nothing is removed, if no administrator were
   * left whose account is not disabled, though there is one. This holds also for several who remove accounts at once.
   */
  remove(ids: readonly AccountId[]): Promise<number | "lastAdministrator">;

  /**
   * At most `limit` of a realm, disabled ones included, in the order of their log-in names by code points: from the first
   * (`null`), or those after a name.
   */
  list(realm: Realm, after: string | null, limit: number): Promise<ListedAccount[]>;
}

/** Credentials, kept apart from the user object: nothing here is readable as an attribute. */
export interface Account {
  readonly id: AccountId;
  /** Id of the `User` object as which the account works; of a database user the same as `id`. */
  readonly userId: ObjectId;
  /** Unicode NFC; compared exactly. */
  readonly loginName: string;
  /** The stored password hash, as the password hasher encodes it. */
  readonly secret: string;
  /** Raised by every change of the secret, and of the user of a custom account. */
  readonly secretVersion: number;
  /** Of custom accounts always `false`: they have the rights of their user. */
  readonly administrator: boolean;
  readonly disabled: boolean;
  /** Where mail goes; `null`: nowhere. */
  readonly email: string | null;
}

/** A new account is enabled. Without an id it is one of a database user; an address that is not given is `null`. */
export type NewAccount = Pick<Account, "userId" | "loginName" | "secret"> &
  Partial<Pick<Account, "id" | "administrator" | "email">>;

/** An account as lists show it: without anything that opens it. */
export type ListedAccount = Omit<Account, "secret" | "secretVersion">;

/** A user whose identity was proven. */
export interface Person {
  readonly account: Account;
  /** The account's user object, as it was when the proof began. */
  readonly user: StoredObject;
  /** What the user object points to, as far as it was read with it; not all of it need be visible to the user. */
  readonly linked: readonly StoredObject[];
  readonly authenticationMethod: AuthenticationMethod;
}
