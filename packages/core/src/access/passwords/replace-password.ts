import type { Digest } from "../../digests/index.ts";
import {
  type Account,
  type AccountId,
  accountOwner,
  accountSessions,
  type RecordKind,
  type RecordRepository,
  type Repositories,
} from "../../storage/index.ts";
import { passwordResets } from "./password-reset.ts";

/** Hashes of passwords that were current once, the latest first, by the subject whose they were. */
export const formerPasswordsKind: RecordKind<readonly string[]> = "passwordHistory";

/** The former passwords of accounts of database users and custom ones; subjects are those of second factors. */
export class FormerPasswords {
  constructor(private readonly records: RecordRepository) {}

  /** The latest hashes of a subject, latest first, at most `limit`. */
  async latest(subject: string, limit: number): Promise<readonly string[]> {
    return (await this.records.get(formerPasswordsKind, [subject]))[0]?.value.slice(0, limit) ?? [];
  }

  /**
   * Adds one, and keeps no more than the latest `keep`; 0: none. Belongs into the transaction that has changed the secret of the account: no other one can
   * add a password for it meanwhile. A text that is not storable: 307.
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
  /** A session that does not end. */
  readonly except?: Digest;
}

/** Puts a new password in the place of an account's, with everything that has to happen then; belongs into a transaction. */
export class ReplacePassword {
  /** @param history how many passwords besides the current one are not taken again */
  constructor(private readonly history: number) {}

  /** Hashes of the passwords of an account that are not taken again. */
  former(r: Repositories, id: AccountId): Promise<readonly string[]> {
    return this.history === 0
      ? Promise.resolve([])
      : new FormerPasswords(r.records).latest(accountOwner(id), this.history);
  }

  /** `false`, and nothing is done, if the account has another password by now. */
  async replacePassword(r: Repositories, account: Account, { secret, except }: NewSecret): Promise<boolean> {
    if ((await r.accounts.setSecret(account.id, secret, account.secretVersion)) === "stale") return false;
    await this.settle(r, account, except);
    return true;
  }

  /** Does the rest once an account has another password; `account`: as it was before. Its sessions end, but for one that is excepted. */
  async settle(r: Repositories, account: Account, except?: Digest): Promise<void> {
    await this.retire(r, account);
    const whose = accountSessions(account.id);
    await r.sessions.end(except === undefined ? whose : { ...whose, except });
  }

  /** The same, where the caller ends the sessions. */
  async retire(r: Repositories, { id, secret }: Account): Promise<void> {
    const owner = accountOwner(id);
    await new FormerPasswords(r.records).add(owner, secret, this.history);
    await r.records.remove(passwordResets, { owner });
  }
}
