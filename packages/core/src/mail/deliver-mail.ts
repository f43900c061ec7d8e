import type { Database } from "../request/index.ts";
import type { ClaimedRecord } from "@sallyport/storage";
import { type MailMessage, type MessageWriter, type Mailer, MailerUnusable, type ResetMail } from "./mail.ts";
import { mailJobs, type SealedMailJobs, stuckMailJobs, type WaitingMailJob } from "./queue-mail.ts";

/** Delay after the first failed attempt, in milliseconds. Doubles with each further one. */
const initialDelay = 10_000;

/** Milliseconds. Short for the transport, to notice its recovery soon. Long for a job, to spare a relay that refuses one mail. */
const maxDelay: Readonly<Record<DeliveryFailure, number>> = { transport: 60_000, job: 600_000 };

/** Cause of a failed attempt: the address or contents of the job, or the transport as a whole. */
type DeliveryFailure = "job" | "transport";

export type ClaimedMailJob = ClaimedRecord<WaitingMailJob>;

interface ReadyMessage {
  readonly message: MailMessage;
  readonly job: ClaimedMailJob;
}

export type Delivery =
  | { readonly kind: "sent" }
  /** The relay refuses it permanently. `reply` as in `MailOutcome`. No retry. */
  | { readonly kind: "rejected"; readonly reply: string }
  /** There is no recipient, or the recipient got a mail moments ago. */
  | { readonly kind: "skipped" }
  /** Retried in `delay` milliseconds. */
  | { readonly kind: "deferred"; readonly reply: string; readonly delay: number }
  /** Retried, because the transport cannot send any mail. */
  | { readonly kind: "unavailable"; readonly error: MailerUnusable; readonly delay: number }
  /** Retried, because the job could not be opened, prepared or written. */
  | { readonly kind: "failed"; readonly error: unknown; readonly delay: number }
  /** Another process has claimed the job. `sent`: the mail may arrive twice. */
  | { readonly kind: "superseded"; readonly sent: boolean };

export interface DeliverMailParts {
  readonly jobs: SealedMailJobs;
  readonly resetMail: ResetMail;
  readonly messages: MessageWriter;
  readonly mailer: Mailer;
}

type DeliveryContext = Pick<Database, "alias" | "storage">;

/** Rolls back a preparation after another process has claimed the job. */
class ClaimLostError extends Error {}

/**
 * Sends the mail of a claimed job. The job is deleted after the relay has accepted its mail, so no mail is lost. If the
 * process or the connection fails in between, the mail is sent again with the same reference.
 */
export class DeliverMail {
  constructor(private readonly parts: DeliverMailParts) {}

  async deliverMail(context: DeliveryContext, job: ClaimedMailJob): Promise<Delivery> {
    let ready: ReadyMessage | null;
    try {
      ready = await this.messageOf(context, job);
    } catch (error) {
      if (error instanceof ClaimLostError) return { kind: "superseded", sent: false };
      return this.postpone(context, job, "job", (delay) => ({ kind: "failed", error, delay }));
    }
    return ready === null ? { kind: "skipped" } : this.send(context, ready);
  }

  /** Returns the message of a job. A password reset is prepared once. Its message then replaces the job. */
  private async messageOf({ alias, storage }: DeliveryContext, claimed: ClaimedMailJob): Promise<ReadyMessage | null> {
    const { jobs, resetMail } = this.parts;
    const content = jobs.open(alias, claimed.value.sealed);
    if (content === undefined) throw new Error("The mail job was encrypted with another master key.");
    if ("message" in content) return { message: content.message, job: claimed };
    const { job } = content;
    if (job.kind !== "passwordReset") return { message: job, job: claimed };
    return storage.transaction(async (r) => {
      const prepared = await resetMail.prepare(r, job);
      const { language } = job;
      const message: MailMessage | null = prepared === null ? null : { kind: "passwordReset", ...prepared, language };
      const value = message === null ? null : { ...claimed.value, sealed: jobs.seal(alias, { message }) };
      if (!(await r.records.settle(mailJobs, claimed, value === null ? "done" : { value }))) throw new ClaimLostError();
      return message === null || value === null ? null : { message, job: { ...claimed, value } };
    });
  }

  private async send(context: DeliveryContext, { message, job }: ReadyMessage): Promise<Delivery> {
    const { messages, mailer } = this.parts;
    let outcome;
    try {
      // The same for every attempt, so that recipients can detect duplicates.
      const reference = job.id.slice(0, 32);
      outcome = await mailer.send({ to: message.to, reference, ...messages.write(message, context.alias) });
    } catch (error) {
      if (!(error instanceof MailerUnusable))
        return this.postpone(context, job, "job", (delay) => ({ kind: "failed", error, delay }));
      return this.postpone(context, job, "transport", (delay) => ({ kind: "unavailable", error, delay }));
    }
    const { kind } = outcome;
    if (kind === "deferred") return this.postpone(context, job, "job", (delay) => ({ ...outcome, kind, delay }));
    return (await endClaim(context, job, null)) ? outcome : { kind: "superseded", sent: kind === "sent" };
  }

  private async postpone(
    context: DeliveryContext,
    job: ClaimedMailJob,
    cause: DeliveryFailure,
    delivery: (delay: number) => Delivery,
  ): Promise<Delivery> {
    const delay = Math.min(maxDelay[cause], initialDelay * 2 ** Math.min(job.claims - 1, 16));
    const postponed = await endClaim(context, job, { dueIn: delay, cause });
    return postponed ? delivery(delay) : { kind: "superseded", sent: false };
  }
}

/** Ends a claim: the job is done (`null`) or waits longer. It is marked as stuck while the transport is the cause. */
async function endClaim(
  { storage }: DeliveryContext,
  job: ClaimedMailJob,
  retry: { readonly dueIn: number; readonly cause: DeliveryFailure } | null,
): Promise<boolean> {
  const stuck = retry?.cause === "transport";
  const settlement = retry === null ? "done" : { dueIn: retry.dueIn };
  if (stuck === job.value.stuck) return storage.repositories.records.settle(mailJobs, job, settlement);
  return storage.transaction(async ({ records }) => {
    const next = settlement === "done" ? settlement : { ...settlement, value: { ...job.value, stuck } };
    if (!(await records.settle(mailJobs, job, next))) return false;
    if (stuck) await records.put(stuckMailJobs, job.id, true, { lifetime: Math.max(1, job.value.lifetime - job.age) });
    else await records.remove(stuckMailJobs, { ids: [job.id] });
    return true;
  });
}
