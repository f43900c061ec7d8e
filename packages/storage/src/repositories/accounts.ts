import { type IdentityLink, identityLinkKind, type IdentityLinkRecord } from "../entities/identity-links.ts";
import { isObjectId, isUuid, objectNumber } from "../entities/object-id.ts";
import { maximumObjectBytes } from "../entities/size-limits.ts";
import { idsOf, type StoredObject } from "../entities/stored-object.ts";
import { ServiceError } from "../errors/index.ts";
import type { Access } from "../kernel/access.ts";
import type { RowReader, Rows } from "../kernel/rows.ts";
import {
  type Account,
  type AccountId,
  accountOwner,
  type AccountRepository,
  type FoundAccount,
  type Realm,
  realmOf,
} from "../ports/account-repository.ts";
import { acceptStorable } from "../entities/storable-text.ts";
import { frozenCopy } from "./frozen-copy.ts";
import { objectBytes, storedObjects } from "./stored-objects.ts";
import { livingRecord } from "./records.ts";
import { type AccountRow, accountTable, objectTable, type RecordRow, recordTable } from "./tables.ts";

const nothing: FoundAccount = { account: null, user: null, linked: [], decoy: null, link: null };

export const accountRepository = (access: Access): AccountRepository => ({
  find: (selector, links) =>
    access.read(async (rows) => {
      if ("id" in selector) return readAccount(rows, await rows.get(accountTable, selector.id), links);
      if ("realm" in selector) return foundByName(rows, selector, links);
      const record = await livingRecord(rows, identityLinkKind, selector.linkId, await rows.now());
      if (record === undefined) return nothing;
      const link = identityLinkOf(record);
      return { ...(await readAccount(rows, await rows.get(accountTable, link.value.userId), links)), link };
    }),

  async create({ userId, id = userId, loginName, secret, administrator = false, email = null }, confusableKey) {
    acceptStorable([loginName, secret, confusableKey, email]);
    const names = { loginName, confusableKey };
    const account = frozenCopy({
      id,
      userId,
      ...names,
      secret,
      secretVersion: 1,
      administrator,
      disabled: false,
      email,
    });
    return access.write(async (rows) => {
      if ((await rows.get(accountTable, id)) !== undefined || (await isTaken(rows, id, names))) return "nameTaken";
      await rows.put(accountTable, account);
      return "created";
    });
  },

  async change(id, { name, email, disabled, administrator, userId }) {
    acceptStorable([name?.loginName ?? null, name?.confusableKey ?? null, email ?? null]);
    return access.write(async (rows) => {
      const account = await rows.get(accountTable, id);
      if (account === undefined || (isUuid(id) ? administrator : userId) !== undefined) return false;
      if (name !== undefined && (await isTaken(rows, id, name)))
        throw new ServiceError(307, { detail: "The user name is in use, or too similar to one in use." });
      await rows.put(accountTable, {
        ...account,
        ...(name === undefined ? {} : { loginName: name.loginName, confusableKey: name.confusableKey }),
        ...(email === undefined ? {} : { email }),
        ...(disabled === undefined ? {} : { disabled }),
        ...(administrator === undefined ? {} : { administrator }),
        ...(userId === undefined ? {} : { userId, secretVersion: account.secretVersion + 1 }),
      });
      return true;
    });
  },

  setSecret: (id, secret, expected) =>
    access.write(async (rows) => {
      const account = await rows.get(accountTable, id);
      if (account === undefined) return "stale";
      const { secretVersion } = account;
      const isRehashed = typeof expected === "object";
      if (isRehashed ? account.secret !== expected.secret : secretVersion !== expected) return "stale";
      await rows.put(accountTable, {
        ...account,
        secret,
        secretVersion: isRehashed ? secretVersion : secretVersion + 1,
      });
      return "stored";
    }),

  remove: (ids) =>
    access.write(async (rows) => {
      const administrators = await rows.list(accountTable, { index: "administrators" }, ids.length + 1);
      if (administrators.length > 0 && administrators.every(({ id }) => ids.includes(id))) return "lastAdministrator";
      const existing = await rows.getAll(
        accountTable,
        ids.map((id) => [id]),
      );
      await removeOwnedData(rows, ids);
      return existing.length;
    }),

  list: (realm, after, limit) =>
    access.read(async (rows) => {
      const span = { index: "byName", of: [realm], ...(after === null ? {} : { after: [after] }) } as const;
      return (await rows.list(accountTable, span, limit)).map((account) => {
        const { id, userId, loginName, administrator, disabled, email } = account;
        return { id, userId, loginName, administrator, disabled, email };
      });
    }),
});

/** Whether another account of the realm has the name or the confusable key. */
export async function isTaken(
  rows: RowReader,
  id: AccountId,
  { loginName, confusableKey }: Pick<AccountRow, "loginName" | "confusableKey">,
): Promise<boolean> {
  const realm = realmOf(id) ?? "";
  const named = await rows.first(accountTable, { index: "byName", of: [realm, loginName] });
  const similar = await rows.list(accountTable, { index: "byConfusableKey", of: [realm, confusableKey] }, 2);
  return [named, ...similar].some((account) => account !== undefined && account.id !== id);
}

/**
 * Finds an account by its name. In place of an unknown one it reads the next account in the order of names, from the first one again
 * behind the last, so that both cost the same. The secret of that account is the decoy.
 */
async function foundByName(
  rows: RowReader,
  { realm, loginName }: { readonly realm: Realm; readonly loginName: string },
  links: readonly string[],
): Promise<FoundAccount> {
  const account = await rows.first(accountTable, { index: "byName", of: [realm, loginName] });
  const next =
    (await rows.first(accountTable, { index: "byName", of: [realm], after: [loginName] })) ??
    (await rows.first(accountTable, { index: "byName", of: [realm] }));
  const read = await readAccount(rows, account ?? next, links);
  return { ...(account === undefined ? nothing : read), decoy: next?.secret ?? null };
}

/** The public form of a link record. */
export function identityLinkOf({ id, createdVersion, value }: RecordRow): IdentityLinkRecord {
  return { id, createdVersion, value: value as unknown as IdentityLink };
}

/** An account; for a database user also the user object and the objects that its links reference. */
async function readAccount(
  rows: RowReader,
  row: AccountRow | undefined,
  links: readonly string[],
): Promise<FoundAccount> {
  if (row === undefined) return nothing;
  const { confusableKey: _confusableKey, ...account } = row;
  const user = isUuid(account.id) ? null : await userOf(rows, account);
  const targets = user === null ? [] : links.flatMap((name) => idsOf(user.attributes, name)).filter(isObjectId);
  const linked = await storedObjects(rows, targets);
  const bytes = linked.reduce((sum, object) => sum + objectBytes(object), 0);
  return { ...nothing, account: Object.freeze(account), user, linked: bytes > maximumObjectBytes ? [] : linked };
}

/** The user object of an account; `null` if there is none. */
export async function userOf(rows: RowReader, { userId }: Pick<Account, "userId">): Promise<StoredObject | null> {
  return (await rows.get(objectTable, objectNumber(userId)))?.object ?? null;
}

/** Removes accounts with their custom accounts, and the records that these accounts or their links own. */
async function removeOwnedData(rows: Rows, ids: readonly AccountId[]): Promise<void> {
  const removed: AccountId[] = [...ids];
  for (const id of ids) {
    const mapped = await rows.list(accountTable, { index: "byUser", of: [id] }, Number.POSITIVE_INFINITY);
    removed.push(...mapped.map((account) => account.id));
  }
  for (const id of removed) {
    const owned = await removeRecordsOf(rows, accountOwner(id));
    for (const record of owned.filter(({ kind }) => kind === identityLinkKind))
      await removeRecordsOf(rows, `link:${identityLinkOf(record).value.id}`);
  }
  await rows.delete(accountTable, ...removed.map((id) => [id]));
}

/** Removes all records of an owner, of every kind, and returns them. */
async function removeRecordsOf(rows: Rows, owner: string): Promise<RecordRow[]> {
  const owned = await rows.list(recordTable, { index: "byOwner", of: [owner] }, Number.POSITIVE_INFINITY);
  await rows.delete(recordTable, ...owned.map(({ kind, id }) => [kind, id]));
  return owned;
}
