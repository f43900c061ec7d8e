import {
  type Account,
  type AccountId,
  accountOwner,
  accountSessions,
  type Digest,
  type RecordKind,
  type RecordRepository,
  type Repositories,
} from "@sallyport/storage";
import { passwordResets } from "./password-reset.ts";

/** Former password hashes by subject, latest first. */
export const formerPasswordsKind: RecordKind<readonly string[]> = "passwordHistory";

/** Password history of database and custom accounts. Subjects are those of second factors. */
export class FormerPasswords {
  constructor(private readonly records: RecordRepository) {}

  /** Returns at most `limit` former hashes of a subject, latest first. */
  async latest(subject: string, limit: number): Promise<readonly string[]> {
    return (await this.records.get(formerPasswordsKind, [subject]))[0]?.value.slice(0, limit) ?? [];
  }

  /**
   * Adds a hash and keeps the latest `keep`. 0: none. Call it in the transaction that changes the account's secret,
   * which serializes the writers. A text that cannot be stored: 307.
   */
  async add(subject: string, secret: string, keep: number): Promise<void> {
    if (keep === 0) await this.records.remove(formerPasswordsKind, { ids: [subject] });
    else {
      const former = await this.latest(subject, keep - 1);
      await this.records.put(formerPasswordsKind, subject, [secret, ...former], { owner: subject });
    }
  }
}

interface NewSecret {
  readonly secret: string;
  /** A session to keep. */
  readonly except?: Digest;
}

/** Replaces the password of an account, with all side effects. Call it in a transaction. */
export class ReplacePassword {
  /** @param history number of former passwords that cannot be reused */
  constructor(private readonly history: number) {}

  /** Returns the hashes of the account's passwords that cannot be reused. */
  former(r: Repositories, id: AccountId): Promise<readonly string[]> {
    return this.history === 0
      ? Promise.resolve([])
      : new FormerPasswords(r.records).latest(accountOwner(id), this.history);
  }

  /** Returns `false`, without any change, if the account's secret has changed. */
  async replacePassword(r: Repositories, account: Account, { secret, except }: NewSecret): Promise<boolean> {
    if ((await r.accounts.setSecret(account.id, secret, account.secretVersion)) === "stale") return false;
    await this.completeChange(r, account, except);
    return true;
  }

  /** Runs the side effects of a changed password and ends the account's sessions, except one. `account` is the former state. */
  async completeChange(r: Repositories, account: Account, except?: Digest): Promise<void> {
    await this.archivePassword(r, account);
    const selector = accountSessions(account.id);
    await r.sessions.end(except === undefined ? selector : { ...selector, except });
  }

  /** The side effects without ending sessions: adds to the password history and revokes resets. */
  async archivePassword(r: Repositories, { id, secret }: Account): Promise<void> {
    const owner = accountOwner(id);
    await new FormerPasswords(r.records).add(owner, secret, this.history);
    await r.records.remove(passwordResets, { owner });
  }
}
