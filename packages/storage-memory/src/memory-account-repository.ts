import {
  acceptStorable,
  type Account,
  type AccountId,
  type AccountRepository,
  type FoundAccount,
  type IdentityLink,
  identityLinkKind,
  type IdentityLinkRecord,
  isObjectId,
  isUuid,
  maximumObjectBytes,
  type ObjectId,
  objectNumber,
  type Realm,
  realmOf,
  ServiceError,
  type StoredObject,
} from "@sallyport/storage";
import type { Access } from "./access.ts";
import { livingRecord } from "./memory-record-repository.ts";
import type { AccountRecord, KeptRecord } from "./records.ts";
import type { State } from "./state.ts";
import { objectBytes } from "./stored-objects.ts";
import { frozenCopy, pageByName } from "./table.ts";

const nothing: FoundAccount = { account: null, user: null, linked: [], decoy: null, link: null };

export const memoryAccountRepository = (access: Access): AccountRepository => ({
  find: (selector, links) =>
    access.read((state, now) => {
      if ("id" in selector) return found(state, state.accounts.get(selector.id), links);
      if ("realm" in selector) return foundByName(state, selector, links);
      const record = livingRecord(state, identityLinkKind, selector.linkId, now);
      if (record === undefined) return nothing;
      const link = identityLinkOf(record);
      return { ...found(state, state.accounts.get(link.value.userId), links), link };
    }),

  async create({ userId, id = userId, loginName, secret, administrator = false, email = null }, confusableKey) {
    acceptStorable([loginName, secret, confusableKey, email]);
    const account = { id, userId, loginName, secret, secretVersion: 1, administrator, disabled: false, email };
    return access.write((state) => {
      if (state.accounts.has(id) || isTaken(state, { id, loginName, confusableKey })) return "nameTaken";
      keepAccount(state, { ...account, confusableKey });
      return "created";
    });
  },

  async change(id, { name, email, disabled, administrator, userId }) {
    acceptStorable([name?.loginName ?? null, name?.confusableKey ?? null, email ?? null]);
    return access.write((state) => {
      const account = state.accounts.get(id);
      if (account === undefined || (isUuid(id) ? administrator : userId) !== undefined) return false;
      if (name !== undefined && isTaken(state, { id, ...name })) {
        throw new ServiceError(307, { detail: "The user name is in use, or too similar to one in use." });
      }
      removeNames(state, [id]);
      keepAccount(state, {
        ...account,
        ...name,
        ...(email === undefined ? {} : { email }),
        ...(disabled === undefined ? {} : { disabled }),
        ...(administrator === undefined ? {} : { administrator }),
        ...(userId === undefined ? {} : { userId, secretVersion: account.secretVersion + 1 }),
      });
      return true;
    });
  },

  setSecret: (id, secret, expectedVersion) =>
    access.write(({ accounts }) => {
      const account = accounts.get(id);
      if (account === undefined || account.secretVersion !== expectedVersion) return "stale";
      accounts.set(id, Object.freeze({ ...account, secret, secretVersion: expectedVersion + 1 }));
      return "stored";
    }),

  rehash: (id, secret, newSecret) =>
    access.write(({ accounts }) => {
      const account = accounts.get(id);
      if (account === undefined || account.secret !== secret) return "stale";
      accounts.set(id, Object.freeze({ ...account, secret: newSecret }));
      return "stored";
    }),

  remove: (ids) =>
    access.write((state) => {
      const administrators = [...state.accounts.values()].filter(
        (account) => account.administrator && !account.disabled,
      );
      if (administrators.length > 0 && administrators.every(({ id }) => ids.includes(id))) return "lastAdministrator";
      const removed = ids.filter((id) => state.accounts.has(id)).length;
      removeOwnedData(state, ids);
      return removed;
    }),

  list: (realm, after, limit) =>
    access.read((state) =>
      pageByName(accountsOf(state, realm), ({ loginName }) => loginName, after, limit).map((account) => {
        const { id, userId, loginName, administrator, disabled, email } = account;
        return { id, userId, loginName, administrator, disabled, email };
      }),
    ),
});

export function accountsOf({ accounts }: Pick<State, "accounts">, realm: Realm): AccountRecord[] {
  return [...accounts.values()].filter(({ id }) => realmOf(id) === realm);
}

/** The keys of an account's names in its realm. */
export function namesOf({
  id,
  loginName,
  confusableKey,
}: Pick<AccountRecord, "id" | "loginName" | "confusableKey">): string[] {
  const realm = realmOf(id);
  return [`${realm} name:${loginName}`, `${realm} key:${confusableKey}`];
}

/** Whether another account of the realm has the name or the confusable key. */
function isTaken({ accountNames }: State, account: Pick<AccountRecord, "id" | "loginName" | "confusableKey">): boolean {
  return namesOf(account).some((name) => (accountNames.get(name) ?? account.id) !== account.id);
}

function keepAccount({ accounts, accountNames }: State, account: AccountRecord): void {
  accounts.set(account.id, frozenCopy(account));
  for (const name of namesOf(account)) accountNames.set(name, account.id);
}

function removeNames({ accounts, accountNames }: State, ids: readonly AccountId[]): void {
  for (const id of ids) {
    const account = accounts.get(id);
    for (const name of account === undefined ? [] : namesOf(account)) accountNames.delete(name);
  }
}

function foundByName(
  state: State,
  { realm, loginName }: { readonly realm: Realm; readonly loginName: string },
  links: readonly string[],
): FoundAccount {
  const nextAfter = (name: string | null) =>
    pageByName(accountsOf(state, realm), (account) => account.loginName, name, 1)[0];
  const next = nextAfter(loginName) ?? nextAfter(null);
  const id = state.accountNames.get(`${realm} name:${loginName}`);
  const account = id === undefined ? undefined : state.accounts.get(id);
  return { ...found(state, account, links), decoy: next?.secret ?? null };
}

/** The public form of a link record. */
export function identityLinkOf({ id, createdVersion, value }: KeptRecord): IdentityLinkRecord {
  return { id, createdVersion, value: value as unknown as IdentityLink };
}

/** An account; for a database user also the user object and the objects that its links reference. */
function found({ objects }: State, record: AccountRecord | undefined, links: readonly string[]): FoundAccount {
  if (record === undefined) return nothing;
  const account = accountOf(record);
  const user = (isUuid(account.id) ? undefined : objects.get(objectNumber(account.userId))) ?? null;
  const targets = new Set(user === null ? [] : links.flatMap((name) => targetsOf(user, name)));
  const linked = [...targets].flatMap((id) => objects.get(objectNumber(id)) ?? []);
  const bytes = linked.reduce((sum, object) => sum + objectBytes(object), 0);
  return { ...nothing, account, user, linked: bytes > maximumObjectBytes ? [] : linked };
}

/** The account without internal fields. */
export function accountOf({ confusableKey: _confusableKey, ...account }: AccountRecord): Account {
  return Object.freeze(account);
}

/** The ids that an attribute of an object contains. */
function targetsOf({ attributes }: StoredObject, name: string): ObjectId[] {
  const value = Object.hasOwn(attributes, name) ? attributes[name] : null;
  return [value].flat().filter((id) => typeof id === "string" && isObjectId(id)) as ObjectId[];
}

/** Removes accounts with their custom accounts, and the records that these accounts or their links own. */
function removeOwnedData(state: State, ids: readonly AccountId[]): void {
  const { accounts, records } = state;
  const mapped = accountsOf(state, "custom").filter(({ userId }) => ids.includes(userId));
  const removed = [...ids, ...mapped.map(({ id }) => id)];
  const owners = new Set<string | null>(
    removed.map((id) => (realmOf(id) === "custom" ? `custom:${id}` : `user:${id}`)),
  );
  for (const record of records.values())
    if (record.kind === identityLinkKind && owners.has(record.owner))
      owners.add(`link:${identityLinkOf(record).value.id}`);
  removeNames(state, removed);
  for (const id of removed) accounts.delete(id);
  for (const [key, { owner }] of records.entries()) if (owners.has(owner)) records.delete(key);
}
