import type { Digest } from "../../digests/index.ts";
import {
  type Account,
  type AccountId,
  accountOwner,
  confusableKeyOf,
  loginNameOf,
  type ObjectId,
  type RecordKind,
  type Repositories,
  type StoredRecord,
} from "../../storage/index.ts";

/** Maps a custom account to another user; `false` if there is none. In a transaction that ends its sessions. */
export async function mapCustomAccount(
  r: Pick<Repositories, "accounts" | "records">,
  id: AccountId,
  userId: ObjectId,
): Promise<boolean> {
  if (!(await r.accounts.change(id, { userId }))) return false;
  await new PendingPasswords(r).follow(id);
  return true;
}

/** Names whose failures count. Spellings of a name count together: a hook may take several of them for one. */
export function customUserKey(loginName: string): string {
  return `custom\u0000${confusableKeyOf(loginNameOf(loginName))}`;
}

/** New passwords of custom users that wait to be confirmed, by the id of the account. They have a lifetime. */
const pendingPasswordKind: RecordKind<KeptPassword> = "pendingPassword";

/** A new password that waits to be confirmed. */
export interface PendingPassword {
  readonly secret: string;
  readonly code: Digest;
  /** Milliseconds for which it can be confirmed. */
  readonly lifetime: number;
  readonly tries: number;
}

interface KeptPassword extends PendingPassword {
  /** That of the account; a password waits for as long as the account has it. */
  readonly secretVersion: number;
}

/** The passwords that wait to be confirmed. Another secret of the account makes the one that waits worthless. */
export class PendingPasswords {
  constructor(private readonly r: Pick<Repositories, "accounts" | "records">) {}

  /** Keeps a password in the place of one that waited; `false` if the account has another secret by now. Belongs into a transaction. */
  async keep({ id, secretVersion }: Account, pending: PendingPassword): Promise<boolean> {
    const { account } = await this.r.accounts.find({ id }, []);
    if (account?.secretVersion !== secretVersion) return false;
    await this.put(id, { ...pending, secretVersion }, pending.lifetime);
    return true;
  }

  /** Whether the code is right. A try is used up before it is compared; not in a transaction, which could undo that. */
  async tryCode(id: AccountId, code: Digest): Promise<boolean> {
    for (;;) {
      const found = await this.find(id);
      if (found === undefined || found.value.tries < 1) return false;
      const { value, version, age } = found;
      const options = { owner: found.owner, lifetime: Math.max(1, value.lifetime - age), ifVersion: version };
      const tried = { ...value, tries: value.tries - 1 };
      if ((await this.r.records.put(pendingPasswordKind, id, tried, options)) === "stored") return value.code === code;
    }
  }

  /** The new version of the secret; `null` for a wrong code or a lost race. In a transaction. */
  async confirm(id: AccountId, code: Digest): Promise<number | null> {
    const pending = await this.r.records.take(pendingPasswordKind, id);
    if (pending?.code !== code) return null;
    const { secret, secretVersion } = pending;
    return (await this.r.accounts.setSecret(id, secret, secretVersion)) === "stored" ? secretVersion + 1 : null;
  }

  /** Keeps a password waiting though the account has another version that is not of another secret. Belongs into the transaction of that. */
  async follow(id: AccountId): Promise<void> {
    const [found, { account }] = await Promise.all([this.find(id), this.r.accounts.find({ id }, [])]);
    if (found === undefined || account === null) return;
    const { value, age } = found;
    await this.put(id, { ...value, secretVersion: account.secretVersion }, Math.max(1, value.lifetime - age));
  }

  private async find(id: AccountId): Promise<StoredRecord<KeptPassword> | undefined> {
    return (await this.r.records.get(pendingPasswordKind, [id]))[0];
  }

  private async put(id: AccountId, value: KeptPassword, lifetime: number): Promise<void> {
    await this.r.records.put(pendingPasswordKind, id, value, { owner: accountOwner(id), lifetime });
  }
}
