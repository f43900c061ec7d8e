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
import { customAccountOf, type CustomAccountRecord } from "./records.ts";
import { frozenCopy, partByName } from "./table.ts";

export class MemoryCustomAccountRepository implements CustomAccountRepository {
  constructor(private readonly access: Access) {}

  forProof(loginName: string): Promise<ForCustomProof> {
    return this.access.read(({ customAccounts }) => {
      const nextAfter = (name: string | null) =>
        partByName(customAccounts.values(), (record) => record.loginName, name, 1)[0];
      const next = nextAfter(loginName) ?? nextAfter(null);
      const known = [...customAccounts.values()].find((record) => record.loginName === loginName);
      return { account: known === undefined ? null : customAccountOf(known), decoy: next?.secret ?? null };
    });
  }

  find(id: string): Promise<CustomAccount | null> {
    return this.access.read(({ customAccounts }) => {
      const record = customAccounts.get(id);
      return record === undefined ? null : customAccountOf(record);
    });
  }

  async create(
    { id, loginName, userId, email, secret }: NewCustomAccount,
    confusableKey: string,
  ): Promise<"created" | "nameTaken"> {
    acceptStorable([loginName, email, secret, confusableKey]);
    return this.access.write(({ customAccounts }) => {
      const isTaken = [...customAccounts.values()].some(
        (each) => each.loginName === loginName || each.confusableKey === confusableKey,
      );
      if (isTaken || customAccounts.has(id)) return "nameTaken";
      const account = { id, loginName, userId, email, secret, secretVersion: 1, disabled: false };
      customAccounts.set(id, frozenCopy({ ...account, confusableKey, pending: null }));
      return "created";
    });
  }

  async setSecret(id: string, secret: string, expectedVersion: number): Promise<"stored" | "stale"> {
    const isSet = await this.change(id, (record) => {
      if (record.secretVersion !== expectedVersion) return null;
      return { ...record, secret, secretVersion: expectedVersion + 1, pending: null };
    });
    return isSet ? "stored" : "stale";
  }

  async rehash(id: string, secret: string, newSecret: string): Promise<"stored" | "stale"> {
    const isSet = await this.change(id, (record) =>
      record.secret === secret ? { ...record, secret: newSecret } : null,
    );
    return isSet ? "stored" : "stale";
  }

  async request(
    id: string,
    { secret, code, lifetime, tries }: PendingPassword,
    expectedVersion: number,
  ): Promise<"kept" | "stale"> {
    const isKept = await this.change(id, (record, now) => {
      if (record.secretVersion !== expectedVersion) return null;
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
      const secretVersion = record.secretVersion + 1;
      customAccounts.set(id, frozenCopy({ ...record, secret: pending.secret, secretVersion, pending: null }));
      return secretVersion;
    });
  }

  async setEmail(id: string, email: string | null): Promise<boolean> {
    acceptStorable(email);
    return this.change(id, (record) => ({ ...record, email }));
  }

  setUser(id: string, userId: ObjectId): Promise<boolean> {
    return this.change(id, (record) => ({ ...record, userId, secretVersion: record.secretVersion + 1 }));
  }

  setDisabled(id: string, disabled: boolean): Promise<boolean> {
    return this.change(id, (record) => ({ ...record, disabled }));
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
      const part = partByName(customAccounts.values(), ({ loginName }) => loginName, after, limit);
      return part.map(({ id, loginName, userId, email, disabled }) => ({ id, loginName, userId, email, disabled }));
    });
  }

  /** Whether the record was replaced by what the change makes of it. */
  private change(
    id: string,
    changed: (record: CustomAccountRecord, now: number) => CustomAccountRecord | null,
  ): Promise<boolean> {
    return this.access.write(({ customAccounts }, now) => {
      const record = customAccounts.get(id);
      const replaced = record === undefined ? null : changed(record, now);
      if (replaced !== null) customAccounts.set(id, frozenCopy(replaced));
      return replaced !== null;
    });
  }
}
