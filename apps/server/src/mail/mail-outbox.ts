import {
  type ClaimedMailJob,
  type Database,
  type DeliverMail,
  type Delivery,
  mailJobs,
  type WaitingMail,
  type WaitingMailJob,
  waitingMail,
} from "@sallyport/core";
import type { Outbox } from "../background/outbox-relay.ts";

/** Receives the results of deliveries. */
export interface MailReports {
  delivered(alias: string, job: ClaimedMailJob, delivery: Delivery): void;
  waiting(alias: string, waiting: WaitingMail): void;
  /** A poll of an outbox failed. It is retried. */
  failed(alias: string, error: unknown): void;
}

/**
 * Milliseconds between two polls. Password resets wait for one: short enough for a person, and long enough to hide when a
 * reset was queued.
 */
export const mailPollInterval = 5_000;

interface MailOutboxParts extends Pick<Outbox<WaitingMailJob>, "lease" | "interval"> {
  readonly deliverMail: Pick<DeliverMail, "deliverMail">;
  readonly reports: MailReports;
}

/** The outbox of mail. */
export function mailOutbox({ deliverMail, reports, ...times }: MailOutboxParts): Outbox<WaitingMailJob> {
  return {
    ...times,
    kind: mailJobs,
    batch: 5,
    deliver: (database, jobs) => Promise.all(jobs.map((job) => deliver(database, job))),
    polled: async ({ alias, storage }) => reports.waiting(alias, await waitingMail(storage.repositories)),
    failed: (alias, error) => reports.failed(alias, error),
  };

  async function deliver(database: Database, job: ClaimedMailJob): Promise<boolean | null> {
    const delivery = await deliverMail.deliverMail(database, job);
    reports.delivered(database.alias, job, delivery);
    if (delivery.kind === "unavailable") return false;
    return neutral.has(delivery.kind) ? null : true;
  }
}

/** Outcomes that tell nothing about the transport. */
const neutral: ReadonlySet<Delivery["kind"]> = new Set(["failed", "superseded", "skipped"]);
