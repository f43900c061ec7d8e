import {
  acceptStorable,
  type CustomAccount,
  type CustomAccountRepository,
  type Digest,
  type ForCustomProof,
  type ListedCustomAccount,
  type NewCustomAccount,
  type ObjectId,
  type PendingPassword,
} from "@sallyport/core";
import type { Access } from "./access.ts";
import type { CustomAccountRecord } from "./custom-account-record.ts";
import { frozenCopy } from "./frozen-copy.ts";
import { partByName } from "./part-by-name.ts";

export class MemoryCustomAccountRepository implements CustomAccountRepository {
  constructor(private readonly access: Access) {}

  forProof(loginName: string): Promise<ForCustomProof> {
    return this.access.read(({ customAccounts }) => {
      const accounts = Array.from(customAccounts.values(), ({ account }) => account);
      const nextAfter = (name: string | null) => partByName(accounts, (account) => account.loginName, name, 1)[0];
      const next = nextAfter(loginName) ?? nextAfter(null);
      return { account: accounts.find((account) => account.loginName === loginName) ?? null, decoy: next?.secret ?? null };
    });
  }

  find(id: string): Promise<CustomAccount | null> {
    return this.access.read(({ customAccounts }) => customAccounts.get(id)?.account ?? null);
  }

  async create({ id, loginName, userId, email, secret }: NewCustomAccount, confusableKey: string): Promise<"created" | "nameTaken"> {
    acceptStorable([loginName, email, secret, confusableKey]);
    return this.access.write(({ customAccounts }) => {
      const isTaken = [...customAccounts.values()].some((each) => each.account.loginName === loginName || each.confusableKey === confusableKey);
      if (isTaken || customAccounts.has(id)) return "nameTaken";
      const account = { id, loginName, userId, email, secret, secretVersion: 1, disabled: false };
      customAccounts.set(id, frozenCopy({ account, confusableKey, pending: null }));
      return "created";
    });
  }

  async setSecret(id: string, secret: string, expectedVersion: number): Promise<"stored" | "stale"> {
    const isSet = await this.change(id, (record) => {
      if (record.account.secretVersion !== expectedVersion) return null;
      return { ...record, account: { ...record.account, secret, secretVersion: expectedVersion + 1 }, pending: null };
    });
    return isSet ? "stored" : "stale";
  }

  async rehash(id: string, secret: string, newSecret: string): Promise<"stored" | "stale"> {
    const isSet = await this.change(id, (record) => (record.account.secret === secret ? withAccount(record, { secret: newSecret }) : null));
    return isSet ? "stored" : "stale";
  }

  async request(id: string, { secret, code, lifetime, tries }: PendingPassword, expectedVersion: number): Promise<"kept" | "stale"> {
    const isKept = await this.change(id, (record, now) => {
      if (record.account.secretVersion !== expectedVersion) return null;
      return { ...record, pending: { secret, code, tries, until: now + lifetime } };
    });
    return isKept ? "kept" : "stale";
  }

  async confirm(id: string, code: Digest): Promise<number | null> {
    return this.access.write(({ customAccounts }, now) => {
      const record = customAccounts.get(id);
      const pending = record?.pending ?? null;
      if (record === undefined || pending === null || pending.tries < 1 || now >= pending.until) return null;
      if (pending.code !== code) {
        customAccounts.set(id, frozenCopy({ ...record, pending: { ...pending, tries: pending.tries - 1 } }));
        return null;
      }
      const secretVersion = record.account.secretVersion + 1;
      customAccounts.set(id, frozenCopy({ ...withAccount(record, { secret: pending.secret, secretVersion }), pending: null }));
      return secretVersion;
    });
  }

  async setEmail(id: string, email: string | null): Promise<boolean> {
    acceptStorable(email);
    return this.change(id, (record) => withAccount(record, { email }));
  }

  setUser(id: string, userId: ObjectId): Promise<boolean> {
    return this.change(id, (record) => withAccount(record, { userId, secretVersion: record.account.secretVersion + 1 }));
  }

  setDisabled(id: string, disabled: boolean): Promise<boolean> {
    return this.change(id, (record) => withAccount(record, { disabled }));
  }

  remove(id: string): Promise<boolean> {
    return this.access.write(({ customAccounts }) => {
      const isThere = customAccounts.has(id);
      customAccounts.delete(id);
      return isThere;
    });
  }

  list(after: string | null, limit: number): Promise<ListedCustomAccount[]> {
    return this.access.read(({ customAccounts }) => {
      const accounts = Array.from(customAccounts.values(), ({ account }) => account);
      return partByName(accounts, ({ loginName }) => loginName, after, limit).map(({ id, loginName, userId, email, disabled }) => {
        return { id, loginName, userId, email, disabled };
      });
    });
  }

  /** Whether the record was replaced by what the change makes of it. */
  private change(id: string, changed: (record: CustomAccountRecord, now: number) => CustomAccountRecord | null): Promise<boolean> {
    return this.access.write(({ customAccounts }, now) => {
      const record = customAccounts.get(id);
      const replaced = record === undefined ? null : changed(record, now);
      if (replaced !== null) customAccounts.set(id, frozenCopy(replaced));
      return replaced !== null;
    });
  }
}

function withAccount(record: CustomAccountRecord, change: Partial<CustomAccount>): CustomAccountRecord {
  return { ...record, account: { ...record.account, ...change } };
}
