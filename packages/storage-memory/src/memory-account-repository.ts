import type { Account, AccountRepository, NewAccount, ObjectId } from "@sallyport/core";
import type { Access } from "./access.ts";
import { frozenCopy } from "./frozen-copy.ts";

export class MemoryAccountRepository implements AccountRepository {
  constructor(private readonly access: Access) {}

  byLoginName(loginName: string): Promise<Account | null> {
    return this.access.read(({ accounts, accountNames }) => {
      const userId = accountNames.get(`name:${loginName}`);
      return (userId === undefined ? undefined : accounts.get(userId)) ?? null;
    });
  }

  create({ userId, loginName, secret, administrator }: NewAccount, confusableKey: string): Promise<"created" | "nameTaken"> {
    return this.access.write(({ accounts, accountNames }) => {
      const names = [`name:${loginName}`, `key:${confusableKey}`];
      if (accounts.has(userId) || names.some((name) => accountNames.has(name))) return "nameTaken";
      accounts.set(userId, frozenCopy({ userId, loginName, secret, secretVersion: 1, administrator, disabled: false }));
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

  setDisabled(userId: ObjectId, disabled: boolean): Promise<boolean> {
    return this.access.write(({ accounts }) => {
      const account = accounts.get(userId);
      if (account === undefined) return false;
      accounts.set(userId, Object.freeze({ ...account, disabled }));
      return true;
    });
  }
}
