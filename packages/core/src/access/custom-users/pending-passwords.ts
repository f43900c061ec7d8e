import {
  type Account,
  type AccountId,
  accountOwner,
  type Digest,
  type ObjectId,
  type RecordKind,
  type Repositories,
  type StoredRecord,
  untilDone,
} from "@sallyport/storage";

/** Maps a custom account to another user. Returns `false` for an unknown account. Call it in the transaction that ends its sessions. */
export async function mapCustomAccount(
  r: Pick<Repositories, "accounts" | "records">,
  id: AccountId,
  userId: ObjectId,
): Promise<boolean> {
  if (!(await r.accounts.change(id, { userId }))) return false;
  await new PendingPasswords(r).keepValid(id);
  return true;
}

/** Pending passwords by account id. The records expire. */
const pendingPasswordKind: RecordKind<StoredPassword> = "pendingPassword";

/** A new password that waits for confirmation. */
export interface PendingPassword {
  /** The encoded hash of the new password. */
  readonly secret: string;
  /** Digest of the mailed code. */
  readonly code: Digest;
  /** Time to confirm, in milliseconds. */
  readonly lifetime: number;
  /** Tries that are left. */
  readonly tries: number;
}

interface StoredPassword extends PendingPassword {
  /** Secret version of the account. The pending password is valid only for this version. */
  readonly secretVersion: number;
}

/** Pending passwords of custom accounts. A change of the account's secret invalidates its pending password. */
export class PendingPasswords {
  constructor(private readonly r: Pick<Repositories, "accounts" | "records">) {}

  /** Replaces the pending password. Returns `false` if the account's secret has changed. Call it in a transaction. */
  async keep({ id, secretVersion }: Account, pending: PendingPassword): Promise<boolean> {
    const { account } = await this.r.accounts.find({ id }, []);
    if (account?.secretVersion !== secretVersion) return false;
    await this.put(id, { ...pending, secretVersion }, pending.lifetime);
    return true;
  }

  /** Whether the code matches. Consumes a try before the comparison. Call it outside a transaction, as a rollback would restore the try. */
  async tryCode(id: AccountId, code: Digest): Promise<boolean> {
    return untilDone(async () => {
      const pending = await this.find(id);
      if (pending === undefined || pending.value.tries < 1) return false;
      const { value, version } = pending;
      const options = { owner: pending.owner, lifetime: lifetimeLeft(pending), ifVersion: version };
      const tried = { ...value, tries: value.tries - 1 };
      const stored = await this.r.records.put(pendingPasswordKind, id, tried, options);
      return stored === "stored" ? value.code === code : undefined;
    });
  }

  /**
   * Returns the new secret version, or `null` for a wrong code or a concurrent change. Call it in a transaction, and roll that back
   * for `null`: the pending password is removed even if the code is wrong.
   */
  async confirm(id: AccountId, code: Digest): Promise<number | null> {
    const pending = await this.r.records.take(pendingPasswordKind, id);
    if (pending?.code !== code) return null;
    const { secret, secretVersion } = pending;
    return (await this.r.accounts.setSecret(id, secret, secretVersion)) === "stored" ? secretVersion + 1 : null;
  }

  /** Keeps the pending password valid when the secret version changes without a new secret. Call it in the same transaction. */
  async keepValid(id: AccountId): Promise<void> {
    const [pending, { account }] = await Promise.all([this.find(id), this.r.accounts.find({ id }, [])]);
    if (pending === undefined || account === null) return;
    await this.put(id, { ...pending.value, secretVersion: account.secretVersion }, lifetimeLeft(pending));
  }

  private async find(id: AccountId): Promise<StoredRecord<StoredPassword> | undefined> {
    return (await this.r.records.get(pendingPasswordKind, [id]))[0];
  }

  private async put(id: AccountId, value: StoredPassword, lifetime: number): Promise<void> {
    await this.r.records.put(pendingPasswordKind, id, value, { owner: accountOwner(id), lifetime });
  }
}

/** Milliseconds that are left. At least one, because a record without a lifetime would stay. */
function lifetimeLeft({ value, age }: StoredRecord<StoredPassword>): number {
  return Math.max(1, value.lifetime - age);
}
