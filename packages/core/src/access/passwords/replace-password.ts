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

/** Settings of password histories. */
export interface HistorySettings {
  /** Number of former passwords that cannot be reused. */
  readonly passwordHistory: number;
}

interface NewSecret {
  readonly secret: string;
  /** A session to keep. */
  readonly except?: Digest;
}

/** Returns the hashes of the account's passwords that cannot be reused. */
export function formerSecrets(
  r: Repositories,
  id: AccountId,
  { passwordHistory }: HistorySettings,
): Promise<readonly string[]> {
  return passwordHistory === 0
    ? Promise.resolve([])
    : new FormerPasswords(r.records).latest(accountOwner(id), passwordHistory);
}

/**
 * Replaces the password of an account in a transaction: keeps the former one in the history, revokes resets and ends the sessions.
 * Returns `false`, without any change, if the account's secret has changed.
 */
export async function replacePassword(
  r: Repositories,
  account: Account,
  { secret, except }: NewSecret,
  settings: HistorySettings,
): Promise<boolean> {
  if ((await r.accounts.setSecret(account.id, secret, account.secretVersion)) === "stale") return false;
  await completeChange(r, account, settings, except);
  return true;
}

/** Runs the side effects of a changed password and ends the account's sessions, except one. `account` is the former state. */
export async function completeChange(
  r: Repositories,
  account: Account,
  settings: HistorySettings,
  except?: Digest,
): Promise<void> {
  await archivePassword(r, account, settings);
  const selector = accountSessions(account.id);
  await r.sessions.end(except === undefined ? selector : { ...selector, except });
}

/** The side effects without ending sessions: adds to the password history and revokes resets. */
export async function archivePassword(
  r: Repositories,
  { id, secret }: Account,
  { passwordHistory }: HistorySettings,
): Promise<void> {
  const owner = accountOwner(id);
  await new FormerPasswords(r.records).add(owner, secret, passwordHistory);
  await r.records.remove(passwordResets, { owner });
}
