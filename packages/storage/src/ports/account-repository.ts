import type { IdentityLinkRecord } from "../entities/identity-links.ts";
import { isObjectId, isUuid, type ObjectId } from "../entities/object-id.ts";
import type { AuthenticationMethod, Session } from "../entities/session.ts";
import type { StoredObject } from "../entities/stored-object.ts";

/**
 * A set of accounts with its own login names. `database` contains database users. `custom` contains custom users: they have
 * their own credentials and act as a database user.
 */
export type Realm = "database" | "custom";

/** Account id. Realm `database`: the id of the `User` object. Realm `custom`: a UUID in lower case. */
export type AccountId = string;

/** The realm of an account id; `null` if the text is not an account id. */
export function realmOf(id: AccountId): Realm | null {
  if (isUuid(id)) return "custom";
  return isObjectId(id) ? "database" : null;
}

/** The record owner key of an account: password history, password resets and second factors. These records are removed with the account. */
export function accountOwner(id: AccountId): string {
  return `${realmOf(id) === "custom" ? "custom" : "user"}:${id}`;
}

/**
 * The record owner key of the person behind a session: the account, or the provider link if several links share the user.
 * An unshared link is the person of its user.
 */
export function personOf({ userId, authenticationMethod }: Pick<Session, "userId" | "authenticationMethod">): string {
  if (authenticationMethod.kind === "provider" && authenticationMethod.link.value.shared)
    return `link:${authenticationMethod.link.value.id}`;
  return accountOwner(authenticationMethod.kind === "custom" ? authenticationMethod.accountId : userId);
}

/** Selects all sessions of an account. */
export function accountSessions(id: AccountId): { readonly customAccountId: string } | { readonly userId: ObjectId } {
  return realmOf(id) === "custom" ? { customAccountId: id } : { userId: id };
}

/** Selects an account by login name, by id, or by the id of an `identityLink` record of a database user. */
export type AccountSelector =
  | { readonly realm: Realm; readonly loginName: string }
  | { readonly id: AccountId }
  | { readonly linkId: string };

/** The data that a log-in reads about an account. */
export interface FoundAccount {
  /** `null` if there is no account. Disabled accounts are included. */
  readonly account: Account | null;
  /** The user object of a database user; `null` if there is none, and always for custom users. */
  readonly user: StoredObject | null;
  /**
   * Targets of the requested link attributes of `user`, each once, visible or not. Empty if their attributes together
   * exceed `maximumObjectBytes`. Callers then read them separately.
   */
  readonly linked: readonly StoredObject[];
  /**
   * Only for a look-up by name: the secret of the next account of the realm in name order, wrapping around at the end;
   * `null` if the realm has no account. It replaces the secret of an unknown name. The same name always gets the same
   * decoy, and hash parameters occur as often as among real accounts.
   */
  readonly decoy: string | null;
  /** Only for a look-up by link: the content of the link record, even without an account; `null` if there is no record. */
  readonly link: IdentityLinkRecord | null;
}

/** The secret that an account must have. */
export interface CurrentSecret {
  readonly secret: string;
}

/** The fields to change. A new `userId` of a custom account raises its secret version. */
export interface AccountChange {
  /** The confusable key rejects names that differ from another name only by case or white space. */
  readonly name?: { readonly loginName: string; readonly confusableKey: string };
  readonly email?: string | null;
  readonly disabled?: boolean;
  /** Accounts of database users only. */
  readonly administrator?: boolean;
  /** Custom accounts only. */
  readonly userId?: ObjectId;
}

/**
 * Port: credentials of database users and custom users. Admission rejects the sessions of a disabled account, and
 * sessions with an outdated secret version. Such sessions still count until they end or expire.
 */
export interface AccountRepository {
  /**
   * Finds an account and the targets of the attributes `links` of its user object. Names are compared exactly. Known
   * and unknown names cost the same time.
   */
  find(selector: AccountSelector, links: readonly string[]): Promise<FoundAccount>;

  /**
   * Creates an account. `nameTaken` if another account of the realm has the name or the confusable key, or if the id
   * already has an account. 307 for a text that is not storable.
   */
  create(account: NewAccount, confusableKey: string): Promise<"created" | "nameTaken">;

  /**
   * Changes the given fields. `false` if there is no account, or if its realm does not have a given field. 307 if another
   * account has the name or the confusable key, and for a text that is not storable.
   */
  change(id: AccountId, change: AccountChange): Promise<boolean>;

  /**
   * Replaces the secret if the expected version, or the expected secret, is current; else `stale`. Unknown accounts are
   * `stale`. With a version, another password: the version rises by one, and callers end the sessions in the same
   * transaction. With a secret, another hash of the same password: version and sessions stay.
   */
  setSecret(id: AccountId, secret: string, expected: number | CurrentSecret): Promise<"stored" | "stale">;

  /**
   * Removes accounts and returns their number. Also removes the custom accounts mapped to these users, even if a user
   * has no account, and all records of the owners `user:<id>`, `custom:<id>` and `link:<id>`. The `<id>` of a link is
   * the member `id` of each removed `identityLink` record. `lastAdministrator`, without any change, if there is an
   * enabled administrator and none would remain. This applies to concurrent calls too.
   */
  remove(ids: readonly AccountId[]): Promise<number | "lastAdministrator">;

  /**
   * Returns at most `limit` accounts of a realm after a login name, or from the first (`null`), ordered by the code
   * points of the name. Disabled accounts are included.
   */
  list(realm: Realm, after: string | null, limit: number): Promise<ListedAccount[]>;
}

/** Credentials. Stored apart from the user object, so no attribute exposes them. */
export interface Account {
  readonly id: AccountId;
  /** Id of the `User` object that the account acts as. Equals `id` for a database user. */
  readonly userId: ObjectId;
  /** Unicode NFC; compared exactly. */
  readonly loginName: string;
  /** The stored password hash, as the password hasher encodes it. */
  readonly secret: string;
  /** Raised by each change of the secret, and of the user of a custom account. */
  readonly secretVersion: number;
  /** Always `false` for custom accounts: they have the rights of their user. */
  readonly administrator: boolean;
  readonly disabled: boolean;
  /** Mail address; `null` if there is none. */
  readonly email: string | null;
}

/** A new account is enabled. Without an id it belongs to a database user. `email` defaults to `null`. */
export type NewAccount = Pick<Account, "userId" | "loginName" | "secret"> &
  Partial<Pick<Account, "id" | "administrator" | "email">>;

/** An account without its secret, for lists. */
export type ListedAccount = Omit<Account, "secret" | "secretVersion">;

/** An authenticated user. */
export interface AuthenticatedAccount {
  readonly account: Account;
  /** The account's user object, read when the authentication began. */
  readonly user: StoredObject;
  /** Link targets read with the user object. The user may lack the right to see some of them. */
  readonly linked: readonly StoredObject[];
  readonly authenticationMethod: AuthenticationMethod;
}
