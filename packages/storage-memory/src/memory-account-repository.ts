import {
  acceptStorable,
  type Account,
  type AccountRepository,
  type ForProof,
  type FoundAccount,
  type FoundIdentity,
  type IdentityLink,
  identityLinkKind,
  type IdentityLinkRecord,
  isObjectId,
  type ListedAccount,
  maximumObjectBytes,
  type NewAccount,
  type ObjectId,
  objectNumber,
  ServiceError,
  type StoredObject,
} from "@sallyport/core";
import type { Access } from "./access.ts";
import { livingRecord } from "./memory-record-repository.ts";
import type { KeptRecord } from "./records.ts";
import type { State } from "./state.ts";
import { objectBytes } from "./stored-objects.ts";
import { frozenCopy, partByName } from "./table.ts";

export class MemoryAccountRepository implements AccountRepository {
  constructor(private readonly access: Access) {}

  forProof(loginName: string, links: readonly string[]): Promise<ForProof> {
    return this.access.read((state) => {
      const { accounts, accountNames } = state;
      const userId = accountNames.get(`name:${loginName}`);
      const nextAfter = (name: string | null) =>
        partByName(accounts.values(), (account) => account.loginName, name, 1)[0];
      const next = nextAfter(loginName) ?? nextAfter(null);
      const account = userId === undefined ? undefined : accounts.get(userId);
      return { ...found(state, account, links), decoy: next?.secret ?? null };
    });
  }

  byUser(userId: ObjectId, links: readonly string[]): Promise<FoundAccount> {
    return this.access.read((state) => found(state, state.accounts.get(userId), links));
  }

  byIdentity(linkId: string, links: readonly string[]): Promise<FoundIdentity> {
    return this.access.read((state, now) => {
      const record = livingRecord(state, identityLinkKind, linkId, now);
      const link = record === undefined ? null : identityLinkOf(record);
      return { link, ...found(state, link === null ? undefined : state.accounts.get(link.value.userId), links) };
    });
  }

  async create(
    { userId, loginName, secret, administrator, email = null }: NewAccount,
    confusableKey: string,
  ): Promise<"created" | "nameTaken"> {
    acceptStorable([loginName, secret, confusableKey, email]);
    return this.access.write(({ accounts, accountNames }) => {
      const names = [`name:${loginName}`, `key:${confusableKey}`];
      if (accounts.has(userId) || names.some((name) => accountNames.has(name))) return "nameTaken";
      accounts.set(
        userId,
        frozenCopy({ userId, loginName, secret, secretVersion: 1, administrator, disabled: false, email }),
      );
      for (const name of names) accountNames.set(name, userId);
      return "created";
    });
  }

  setSecret(userId: ObjectId, secret: string, expectedVersion: number): Promise<"stored" | "stale"> {
    return this.access.write(({ accounts }) => {
      const account = accounts.get(userId);
      if (account === undefined || account.secretVersion !== expectedVersion) return "stale";
      accounts.set(userId, Object.freeze({ ...account, secret, secretVersion: expectedVersion + 1 }));
      return "stored";
    });
  }

  rehash(userId: ObjectId, secret: string, newSecret: string): Promise<"stored" | "stale"> {
    return this.access.write(({ accounts }) => {
      const account = accounts.get(userId);
      if (account === undefined || account.secret !== secret) return "stale";
      accounts.set(userId, Object.freeze({ ...account, secret: newSecret }));
      return "stored";
    });
  }

  async rename(userId: ObjectId, loginName: string, confusableKey: string): Promise<boolean> {
    acceptStorable([loginName, confusableKey]);
    return this.access.write(({ accounts, accountNames }) => {
      const account = accounts.get(userId);
      if (account === undefined) return false;
      const names = [`name:${loginName}`, `key:${confusableKey}`];
      if (names.some((name) => (accountNames.get(name) ?? userId) !== userId)) {
        throw new ServiceError(307, { detail: "The user name is taken or looks like another." });
      }
      for (const [name, owner] of accountNames.entries()) if (owner === userId) accountNames.delete(name);
      for (const name of names) accountNames.set(name, userId);
      accounts.set(userId, Object.freeze({ ...account, loginName }));
      return true;
    });
  }

  async setEmail(userId: ObjectId, email: string | null): Promise<boolean> {
    acceptStorable(email);
    return this.access.write(({ accounts }) => {
      const account = accounts.get(userId);
      if (account === undefined) return false;
      accounts.set(userId, Object.freeze({ ...account, email }));
      return true;
    });
  }

  setDisabled(userId: ObjectId, disabled: boolean): Promise<boolean> {
    return this.access.write(({ accounts }) => {
      const account = accounts.get(userId);
      if (account === undefined) return false;
      accounts.set(userId, Object.freeze({ ...account, disabled }));
      return true;
    });
  }

  remove(userIds: readonly ObjectId[]): Promise<"removed" | "lastAdministrator"> {
    return this.access.write((state) => {
      const { accounts, accountNames } = state;
      const administrators = [...accounts.values()].filter(({ administrator, disabled }) => administrator && !disabled);
      if (administrators.length > 0 && administrators.every(({ userId }) => userIds.includes(userId)))
        return "lastAdministrator";
      for (const [name, userId] of accountNames.entries()) if (userIds.includes(userId)) accountNames.delete(name);
      for (const userId of userIds) accounts.delete(userId);
      removeBelongings(state, userIds);
      return "removed";
    });
  }

  list(after: string | null, limit: number): Promise<ListedAccount[]> {
    return this.access.read(({ accounts }) =>
      partByName(accounts.values(), ({ loginName }) => loginName, after, limit).map(
        ({ userId, loginName, administrator, disabled, email }) => {
          return { userId, loginName, administrator, disabled, email };
        },
      ),
    );
  }
}

/** What a record of a link is to others. */
export function identityLinkOf({ id, born, value }: KeptRecord): IdentityLinkRecord {
  return { id, born, value: value as unknown as IdentityLink };
}

/** An account with its user object, and what the links of that point to. */
function found({ objects }: State, account: Account | undefined, links: readonly string[]): FoundAccount {
  const user = (account === undefined ? undefined : objects.get(objectNumber(account.userId))) ?? null;
  const targets = new Set(user === null ? [] : links.flatMap((name) => targetsOf(user, name)));
  const linked = [...targets].flatMap((id) => objects.get(objectNumber(id)) ?? []);
  const bytes = linked.reduce((sum, object) => sum + objectBytes(object), 0);
  return { account: account ?? null, user, linked: bytes > maximumObjectBytes ? [] : linked };
}

/** The ids that an attribute of an object holds. */
function targetsOf({ attributes }: StoredObject, name: string): ObjectId[] {
  const value = Object.hasOwn(attributes, name) ? attributes[name] : null;
  return [value].flat().filter((id) => typeof id === "string" && isObjectId(id)) as ObjectId[];
}

/** Removes what belongs to users: their custom accounts, and the records that these, the users or their links own. */
function removeBelongings(state: State, userIds: readonly ObjectId[]): void {
  const { customAccounts, records } = state;
  const users = new Set<string | null>(userIds.map((id) => `user:${id}`));
  const links = [...records.values()].filter(({ kind, owner }) => kind === identityLinkKind && users.has(owner));
  const customs = [...customAccounts.values()].filter(({ userId }) => userIds.includes(userId));
  for (const { id } of customs) customAccounts.delete(id);
  const owners = new Set<string | null>([
    ...users,
    ...links.map((link) => `link:${identityLinkOf(link).value.id}`),
    ...customs.map(({ id }) => `custom:${id}`),
  ]);
  for (const [key, { owner }] of records.entries()) if (owners.has(owner)) records.delete(key);
}
