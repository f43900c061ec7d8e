import { type Account, type ProviderType, type RecordKind, type Repositories, ServiceError } from "@sallyport/storage";
import { type KeyWrapping, openJson, type SealedPurpose, sealJson } from "../keys/index.ts";
import type { RequestContext, Uses, Database } from "../request/index.ts";
import type { MailMessage, MailLanguage, MailJob } from "./mail.ts";

const minute = 60_000;

/** Lifetimes of jobs in milliseconds. The job of a confirmation code expires with the code. */
const lifetimes = {
  passwordReset: 60 * minute,
  passwordChanged: 3 * 24 * 60 * minute,
  accountLinked: 3 * 24 * 60 * minute,
} as const;

export interface MailSettings {
  /** Maximum number of waiting jobs per database. Password resets are accepted only up to half of it. */
  readonly outboxLimit: number;
  /** Milliseconds of a transport outage after which new jobs are refused. */
  readonly unavailableAfter: number;
}

export const mailLimits: MailSettings = {
  // Hours of mail of a large installation. More is a loop, or an outage that mail will not outlive.
  outboxLimit: 10_000,
  // Providers defer mail for some minutes in normal operation.
  unavailableAfter: 15 * minute,
};

/** The outbox of the server. */
export interface Outbox {
  readonly jobs: SealedMailJobs;
  /** `null` if no transport is configured. */
  readonly settings: MailSettings | null;
  /** Notifies the sender of a job that is due now. The job may not be committed yet, and the notification may be lost. */
  readonly notify: (alias: string) => void;
}

/** Services of mail. */
export interface MailServices {
  readonly outbox: Outbox;
  readonly settings: {
    /** Language of mail for requests without one. */
    readonly mailLanguage: MailLanguage;
  };
}

/** Where a mail is queued: a database, with its repositories or those of a transaction. */
export interface MailContext extends Uses<Pick<MailServices, "outbox">> {
  readonly database: Pick<Database, "alias" | "digests">;
  readonly r: Repositories;
}

/**
 * Queues a mail durably. In a transaction, it is queued atomically with the other writes. 712 if mail is not
 * configured or has failed for a while. 706 if too much mail waits. `isNeeded` runs after the check of the transport.
 */
export async function queueMail(context: MailContext, job: MailJob, isNeeded?: () => Promise<boolean>): Promise<void> {
  const { r, database } = context;
  const { jobs, settings, notify } = context.services.outbox;
  if (settings === null) throw new ServiceError(712, { detail: "Mail is not configured." });
  const sealed = jobs.seal(database.alias, { job });
  const { oldest: stuck } = await r.records.count(stuckMailJobs);
  if (stuck > settings.unavailableAfter)
    throw new ServiceError(712, { detail: "Mail has been unavailable for too long." });
  if (isNeeded !== undefined && !(await isNeeded())) return;
  const lifetime = lifetimeOf(job);
  const outcome = await r.records.putWithin(
    mailJobs,
    database.digests.sha256(sealed),
    { sealed, lifetime, stuck: false },
    { owner: "mail", lifetime, quota: { perOwner: 0, total: limitOf(job, settings) } },
  );
  if (outcome !== "stored") throw new ServiceError(706, { detail: "The outbox is full." });
  // A reset mail costs more for an existing user. A delayed start prevents measuring this with the next request.
  if (job.kind !== "passwordReset") notify(database.alias);
}

type NoticedChange =
  | { readonly kind: "passwordChanged" }
  | { readonly kind: "accountLinked"; readonly provider: ProviderType };

/**
 * Notifies users of changes to their account, so that they notice changes by others. Does nothing without an address or
 * without mail. Never fails, as the change is already made.
 */
export async function sendChangeNotice(
  context: RequestContext & Uses<MailServices>,
  { email, loginName: name }: Pick<Account, "email" | "loginName">,
  change: NoticedChange,
  language: MailLanguage | null,
): Promise<void> {
  const { outbox, settings } = context.services;
  if (email === null || outbox.settings === null) return;
  const job = { ...change, to: email, name, language: language ?? settings.mailLanguage };
  await queueMail(context, job).catch(() => {});
}

/** Resets are unauthenticated and unlimited in number, so they leave half the outbox to the mail of logged-in users. */
function limitOf({ kind }: MailJob, { outboxLimit }: MailSettings): number {
  return kind === "passwordReset" ? Math.ceil(outboxLimit / 2) : outboxLimit;
}

function lifetimeOf(job: MailJob): number {
  return job.kind === "confirmationCode" ? job.minutes * minute : lifetimes[job.kind];
}

/** Mail jobs by the SHA-256 of the sealed job. A job stays until it is done or expires, even across restarts. */
export const mailJobs: RecordKind<WaitingMailJob> = "mail";

/** Jobs blocked by the transport, by the ids of `mailJobs`. Each record starts when the transport first blocks the job. */
export const stuckMailJobs: RecordKind<true> = "stuckMail";

export interface WaitingMailJob {
  /** Sealed under the master key, because it may contain a code. */
  readonly sealed: string;
  /** Milliseconds from queueing until the job expires. */
  readonly lifetime: number;
  readonly stuck: boolean;
}

/** Waiting jobs, claimed or not. */
export interface WaitingMail {
  readonly count: number;
  /** Age of the oldest waiting job in milliseconds. 0 if there is none. */
  readonly oldest: number;
  /** Milliseconds since the transport first blocked a waiting job. 0 if no job is blocked. */
  readonly stuck: number;
}

export async function waitingMail({ records }: Pick<Repositories, "records">): Promise<WaitingMail> {
  const [waiting, { oldest: stuck }] = await Promise.all([records.count(mailJobs), records.count(stuckMailJobs)]);
  return { ...waiting, stuck };
}

/** Contents of a job: the job as queued, or its prepared message. */
export type MailJobContent = { readonly job: MailJob } | { readonly message: MailMessage };

/** Seals the waiting jobs of one database under the master key, to hide names, addresses and codes from readers of the table. */
export class SealedMailJobs {
  /** @param wrapping `null` without a master key */
  constructor(private readonly wrapping: KeyWrapping | null) {}

  /** Throws 712 without a master key. */
  seal(alias: string, content: MailJobContent): string {
    if (this.wrapping === null) throw new ServiceError(712, { detail: "No master key is configured." });
    return sealJson(this.wrapping, content, purposeOf(alias));
  }

  /** Returns `undefined` if it was sealed under another master key or for another database. */
  open(alias: string, sealed: string): MailJobContent | undefined {
    return this.wrapping === null
      ? undefined
      : (openJson(this.wrapping, sealed, purposeOf(alias)) as unknown as MailJobContent | undefined);
  }
}

function purposeOf(alias: string): SealedPurpose {
  return `outbox|${alias}`;
}
