import type { Account } from "../accounts/account-repository.ts";
import type { Digest } from "../digests/digests.ts";
import type { Repositories } from "../storage/repositories.ts";
import { passwordSubject } from "./password-subject.ts";

export interface NewSecret {
  /** The hash of the new password. */
  readonly secret: string;
  /** A session that does not end. */
  readonly except?: Digest;
}

/** Puts a new password in the place of an account's, with everything that has to happen then; belongs into a transaction. */
export class ReplacePassword {
  /** @param history how many passwords besides the current one are not taken again */
  constructor(private readonly history: number) {}

  /** Hashes of the passwords of a subject that are not taken again. */
  former(r: Repositories, subject: string): Promise<string[]> {
    return this.history === 0 ? Promise.resolve([]) : r.passwordHistory.latest(subject, this.history);
  }

  /** `false`, and nothing is done, if the account has another password by now. */
  async run(
    r: Repositories,
    { userId, secret: former, secretVersion }: Account,
    { secret, except }: NewSecret,
  ): Promise<boolean> {
    if ((await r.accounts.setSecret(userId, secret, secretVersion)) === "stale") return false;
    await this.retire(r, passwordSubject(userId), former);
    await r.sessions.end(except === undefined ? { userId } : { userId, except });
    return true;
  }

  /** Keeps the hash of a subject's password that is no longer current, and revokes resets that were asked for before. */
  async retire(r: Repositories, subject: string, former: string): Promise<void> {
    await r.passwordHistory.add(subject, former, this.history);
    await r.oneTime.revoke("passwordReset", subject);
  }
}
