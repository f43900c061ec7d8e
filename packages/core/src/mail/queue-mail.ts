import type { Digests } from "../digests/index.ts";
import { ServiceError } from "../errors/index.ts";
import { type KeyWrapping, openJson, sealJson } from "../keys/index.ts";
import type { RequestContext } from "../request/index.ts";
import type { Account, ProviderType, RecordKind, Repositories } from "../storage/index.ts";
import type { MailMessage, MailLanguage, MailJob } from "./mail.ts";

const minute = 60_000;

/** Milliseconds for which orders are worth sending; that of a code ends with the code. */
const lifetimes = {
  passwordReset: 60 * minute,
  passwordChanged: 3 * 24 * 60 * minute,
  accountLinked: 3 * 24 * 60 * minute,
} as const;

export interface MailSettings {
  /** Orders that may wait in a database; requests for a new password are put in only while less than half of them do. */
  readonly outboxLimit: number;
  /** Milliseconds after which a transport that takes nothing has orders refused. */
  readonly unavailableAfter: number;
}

/** Where an order belongs: the alias of a database, and its repositories or those of a transaction. */
export interface MailDesk {
  readonly alias: string;
  readonly r: Repositories;
}

export interface QueueMailParts {
  readonly jobs: SealedMailJobs;
  readonly digests: Digests;
  /** `null` where no transport is configured. */
  readonly settings: MailSettings | null;
  /** Tells whoever sends that something was put in which should leave at once, or is about to be; may come too early, and be forgotten. */
  readonly notify: (alias: string) => void;
}

export class QueueMail {
  constructor(private readonly parts: QueueMailParts) {}

  get configured(): boolean {
    return this.parts.settings !== null;
  }

  /**
   * Puts the order in: it is sent, whatever becomes of this process. In a transaction it is put in with everything else. 712 when mail is not
   * configured, or has not been possible for a while, for everybody alike; 706 when too much waits. `isWanted` is called after the check of the transport.
   */
  async queueMail({ alias, r }: MailDesk, job: MailJob, isWanted?: () => Promise<boolean>): Promise<void> {
    const { jobs, digests, settings, notify } = this.parts;
    if (settings === null) throw new ServiceError(712, { detail: "Mail is not configured." });
    const sealed = jobs.seal(alias, { job });
    const { oldest: stuck } = await r.records.count(stuckMailJobs);
    if (stuck > settings.unavailableAfter)
      throw new ServiceError(712, { detail: "Mail has not been possible for a while." });
    if (isWanted !== undefined && !(await isWanted())) return;
    const lifetime = lifetimeOf(job);
    const outcome = await r.records.putWithin(
      mailJobs,
      digests.sha256(sealed),
      { sealed, lifetime, stuck: false },
      { owner: "mail", lifetime, quota: { ofOwner: 0, inAll: limitOf(job, settings) } },
    );
    if (outcome !== "stored") throw new ServiceError(706, { detail: "Too much mail waits." });
    // Sending this costs more where there is such a user: it is not to begin when somebody could measure it with his next request.
    if (job.kind !== "passwordReset") notify(alias);
  }
}

/** What a notice is about. */
type NoticedChange =
  | { readonly kind: "passwordChanged" }
  | { readonly kind: "accountLinked"; readonly provider: ProviderType };

/** Tells users of a change of their account, so that they notice a change that they did not make. */
export class ChangeNotice {
  constructor(
    private readonly queueMail: Pick<QueueMail, "configured" | "queueMail">,
    private readonly language: MailLanguage,
  ) {}

  /** Does nothing where there is no address or no mail, and never fails: the change is done already. */
  async send(
    { database, r }: RequestContext,
    { email, loginName: name }: Pick<Account, "email" | "loginName">,
    change: NoticedChange,
    language: MailLanguage | null,
  ): Promise<void> {
    if (email === null || !this.queueMail.configured) return;
    const job = { ...change, to: email, name, language: language ?? this.language };
    await this.queueMail.queueMail({ alias: database.alias, r }, job).catch(() => {});
  }
}

/** Anyone can request resets any number of times, so they leave room for the mail of logged-in users. */
function limitOf({ kind }: MailJob, { outboxLimit }: MailSettings): number {
  return kind === "passwordReset" ? Math.ceil(outboxLimit / 2) : outboxLimit;
}

function lifetimeOf(job: MailJob): number {
  return job.kind === "confirmationCode" ? job.minutes * minute : lifetimes[job.kind];
}

/** Mail that was promised, by the SHA-256 of the sealed order: an order stays until it is done with, even if the process or the server ends. */
export const mailJobs: RecordKind<WaitingMailJob> = "mail";

/** The orders that the transport keeps from being sent, by the ids of `mailOrders`; each began when the transport first did. */
export const stuckMailJobs: RecordKind<true> = "stuckMail";

export interface WaitingMailJob {
  /** Sealed under the master key, because it can hold a code. */
  readonly sealed: string;
  /** Milliseconds for which it is worth sending, from when it was put in. */
  readonly lifetime: number;
  readonly stuck: boolean;
}

/** What waits, claimed or not. */
export interface WaitingMail {
  readonly count: number;
  /** Milliseconds for which the longest has waited; 0 if none does. */
  readonly oldest: number;
  /** Milliseconds since the transport first kept one of them, and nothing else meanwhile; 0 if it keeps none. */
  readonly stuck: number;
}

export async function waitingMail({ records }: Pick<Repositories, "records">): Promise<WaitingMail> {
  const [waiting, { oldest: stuck }] = await Promise.all([records.count(mailJobs), records.count(stuckMailJobs)]);
  return { ...waiting, stuck };
}

/** What an order holds: itself as it was given, or the letter that it has become. */
export type MailJobContent = { readonly job: MailJob } | { readonly message: MailMessage };

/** Seals what waits in the outbox of one database under the master key: names, addresses and codes are not for readers of tables. */
export class SealedMailJobs {
  /** @param wrapping `null` without a master key */
  constructor(private readonly wrapping: KeyWrapping | null) {}

  /** 712 without a master key. */
  seal(alias: string, content: MailJobContent): string {
    if (this.wrapping === null) throw new ServiceError(712, { detail: "There is no master key." });
    return sealJson(this.wrapping, content, purposeOf(alias));
  }

  /** `undefined` for what was sealed under another master key, or for another database. */
  open(alias: string, sealed: string): MailJobContent | undefined {
    return this.wrapping === null
      ? undefined
      : (openJson(this.wrapping, sealed, purposeOf(alias)) as unknown as MailJobContent | undefined);
  }
}

function purposeOf(alias: string): string {
  return `outbox|${alias}`;
}
