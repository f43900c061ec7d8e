import type { Digest } from "../../digests/index.ts";
import type { MailLanguage, OrderMail } from "../../mail/index.ts";
import type { RequestContext } from "../../request/index.ts";
import type { Account, RecordKind, RecordRepository, Repositories } from "../../storage/index.ts";
import { passwordSubject } from "./password-policy.ts";
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

  /** Hashes of the passwords of a subject that are not taken again. */
  former(r: Repositories, subject: string): Promise<readonly string[]> {
    return this.history === 0 ? Promise.resolve([]) : new FormerPasswords(r.records).latest(subject, this.history);
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
    await new FormerPasswords(r.records).add(subject, former, this.history);
    await r.records.remove(passwordResets, { owner: subject });
  }
}

/** Tells users that their password was changed, so that they notice when it was somebody else. */
export class PasswordNotice {
  constructor(
    private readonly orderMail: OrderMail,
    private readonly language: MailLanguage,
  ) {}

  /** Does nothing where there is no address or no mail, and never fails: the change is done, whether anybody hears of it or not. */
  async send(
    { database, r }: RequestContext,
    { email, loginName: name }: Pick<Account, "email" | "loginName">,
    language: MailLanguage | null,
  ): Promise<void> {
    if (email === null || !this.orderMail.configured) return;
    const order = { kind: "passwordChanged", to: email, name, language: language ?? this.language } as const;
    await this.orderMail.run({ alias: database.alias, r }, order).catch(() => {});
  }
}
