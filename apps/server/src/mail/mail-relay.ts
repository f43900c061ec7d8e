import {
  type ClaimedMailJob,
  type Database,
  type DeliverMail,
  type Delivery,
  mailJobs,
  ServiceError,
  type WaitingMail,
  waitingMail,
} from "@sallyport/core";
import type { DatabaseDirectory } from "@sallyport/http";

/** Notifies the relay of new messages in an outbox. */
export class OutboxNotifier {
  private listener: (alias: string) => void = () => {};

  /** Sets the listener. */
  subscribe(listener: (alias: string) => void): void {
    this.listener = listener;
  }

  notify(alias: string): void {
    this.listener(alias);
  }
}

/** Maximum number of messages to claim and send at once. */
const batch = 5;

/** Milliseconds from a notification to the poll, so that its transaction ends and further ones can join. */
const notifyDelay = 25;

/** Pauses in milliseconds after the transport fails. They double. */
const initialPause = 1_000;
const maxPause = 30_000;

/** Codes that are logged elsewhere or are temporary. */
const loggedElsewhere: ReadonlySet<number> = new Set([607, 704, 705, 706]);

/** Receives the results of deliveries. */
export interface MailReports {
  delivered(alias: string, job: ClaimedMailJob, delivery: Delivery): void;
  waiting(alias: string, waiting: WaitingMail): void;
  /** A poll of an outbox failed. It is retried. */
  failed(alias: string, error: unknown): void;
}

interface MailRelayParts {
  readonly deliverMail: Pick<DeliverMail, "deliverMail">;
  readonly reports: MailReports;
  /** Milliseconds of a claim. Must exceed the longest attempt. */
  readonly lease: number;
  /** Milliseconds between two polls of an outbox. */
  readonly interval: number;
  /** Monotonic milliseconds, for pauses. */
  readonly now?: () => number;
}

/** Sends the messages in the outboxes of all databases. Several servers share the work. */
export class MailRelay {
  private readonly databases = new Map<string, Database>();
  private readonly timers = new Map<string, NodeJS.Timeout>();
  private readonly working = new Map<string, Promise<void>>();
  /** Outboxes notified during their poll. */
  private readonly notified = new Set<string>();
  private readonly now: () => number;
  private pause = 0;
  private pausedUntil = 0;
  private stopped = false;

  constructor(private readonly parts: MailRelayParts) {
    this.now = parts.now ?? (() => performance.now());
  }

  /** Polls every outbox now and then at intervals. */
  start(databases: DatabaseDirectory): void {
    for (const database of databases.values()) {
      if (database === null) continue;
      this.databases.set(database.alias, database);
      this.schedule(database.alias, 0);
    }
  }

  /** A message was added to an outbox, or is about to be. */
  notify(alias: string): void {
    if (this.working.has(alias)) this.notified.add(alias);
    else this.schedule(alias, notifyDelay);
  }

  /** Claims no further messages. Resolves when the current deliveries end. */
  async stop(): Promise<void> {
    this.stopped = true;
    for (const timer of this.timers.values()) clearTimeout(timer);
    await Promise.all(this.working.values());
  }

  private schedule(alias: string, delay: number): void {
    if (this.stopped) return;
    clearTimeout(this.timers.get(alias));
    this.timers.set(alias, setTimeout(() => this.begin(alias), delay).unref());
  }

  private begin(alias: string): void {
    const database = this.databases.get(alias);
    if (this.stopped || database === undefined || this.working.has(alias)) return;
    const work = this.poll(database).finally(() => {
      this.working.delete(alias);
      this.schedule(alias, this.notified.delete(alias) ? notifyDelay : this.parts.interval);
    });
    this.working.set(alias, work);
  }

  private async poll(database: Database): Promise<void> {
    const { alias, storage } = database;
    const r = storage.repositories;
    try {
      while (!this.stopped && this.now() >= this.pausedUntil) {
        const jobs = await r.records.claim(mailJobs, batch, this.parts.lease);
        await Promise.all(jobs.map((job) => this.deliver(database, job)));
        if (jobs.length < batch) break;
      }
      this.parts.reports.waiting(alias, await waitingMail(r));
    } catch (error) {
      if (!this.stopped && !(error instanceof ServiceError && loggedElsewhere.has(error.code)))
        this.parts.reports.failed(alias, error);
    }
  }

  private async deliver(database: Database, job: ClaimedMailJob): Promise<void> {
    const delivery = await this.parts.deliverMail.deliverMail(database, job);
    if (delivery.kind === "unavailable") this.backOff();
    else if (delivery.kind !== "failed" && delivery.kind !== "superseded" && delivery.kind !== "skipped")
      this.resetPause();
    this.parts.reports.delivered(database.alias, job, delivery);
  }

  /** Concurrent failures extend the pause only once. */
  private backOff(): void {
    const now = this.now();
    if (now < this.pausedUntil) return;
    this.pause = Math.min(maxPause, this.pause === 0 ? initialPause : this.pause * 2);
    this.pausedUntil = now + this.pause;
  }

  private resetPause(): void {
    this.pause = 0;
    this.pausedUntil = 0;
  }
}
