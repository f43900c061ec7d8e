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

/** Lets whoever orders mail tell whoever sends it. */
export class OutboxNotifier {
  private listener: (alias: string) => void = () => {};

  /** There is one who listens. */
  answer(listener: (alias: string) => void): void {
    this.listener = listener;
  }

  ring(alias: string): void {
    this.listener(alias);
  }
}

/** Orders that are claimed and sent at once. */
const batch = 5;

/** Milliseconds after which what rang is looked after: its transaction has ended by then, and others may have rung, too. */
const afterRinging = 25;

/** Pauses after a transport that takes nothing, in milliseconds; they double. */
const firstPause = 1_000;
const longestPause = 30_000;

/** What others tell of already, or what passes by itself. */
const toldElsewhere: ReadonlySet<number> = new Set([607, 704, 705, 706]);

/** Hears what becomes of mail. */
export interface MailReports {
  delivered(alias: string, job: ClaimedMailJob, delivery: Delivery): void;
  waiting(alias: string, waiting: WaitingMail): void;
  /** An outbox could not be looked after; it will be again. */
  failed(alias: string, error: unknown): void;
}

interface MailRelayParts {
  readonly deliverMail: Pick<DeliverMail, "deliverMail">;
  readonly reports: MailReports;
  /** Milliseconds for which nobody else takes what was claimed: longer than any attempt takes. */
  readonly lease: number;
  /** Milliseconds between two looks into an outbox. */
  readonly interval: number;
  /** Milliseconds that have passed, for pauses of this process. */
  readonly now?: () => number;
}

/** Sends what waits in the outboxes of all databases; several servers share the work. */
export class MailRelay {
  private readonly databases = new Map<string, Database>();
  private readonly timers = new Map<string, NodeJS.Timeout>();
  private readonly working = new Map<string, Promise<void>>();
  /** Those that rang while they were looked after. */
  private readonly rung = new Set<string>();
  private readonly now: () => number;
  private pause = 0;
  private pausedUntil = 0;
  private stopped = false;

  constructor(private readonly parts: MailRelayParts) {
    this.now = parts.now ?? (() => performance.now());
  }

  /** Looks into every outbox now, and from then on regularly. */
  start(databases: DatabaseDirectory): void {
    for (const database of databases.values()) {
      if (database === null) continue;
      this.databases.set(database.alias, database);
      this.schedule(database.alias, 0);
    }
  }

  /** Something was put into an outbox, or is about to be. */
  ring(alias: string): void {
    if (this.working.has(alias)) this.rung.add(alias);
    else this.schedule(alias, afterRinging);
  }

  /** Takes nothing more; resolves when what is being sent is done with. */
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
    const work = this.lookAfter(database).finally(() => {
      this.working.delete(alias);
      this.schedule(alias, this.rung.delete(alias) ? afterRinging : this.parts.interval);
    });
    this.working.set(alias, work);
  }

  private async lookAfter(database: Database): Promise<void> {
    const { alias, storage } = database;
    const r = storage.repositories;
    try {
      while (!this.stopped && this.now() >= this.pausedUntil) {
        const orders = await r.records.claim(mailJobs, batch, this.parts.lease);
        await Promise.all(orders.map((job) => this.deliver(database, job)));
        if (orders.length < batch) break;
      }
      this.parts.reports.waiting(alias, await waitingMail(r));
    } catch (error) {
      if (!this.stopped && !(error instanceof ServiceError && toldElsewhere.has(error.code)))
        this.parts.reports.failed(alias, error);
    }
  }

  private async deliver(database: Database, job: ClaimedMailJob): Promise<void> {
    const delivery = await this.parts.deliverMail.deliverMail(database, job);
    if (delivery.kind === "stuck") this.rest();
    else if (delivery.kind !== "failed" && delivery.kind !== "lost" && delivery.kind !== "nobody") this.goOn();
    this.parts.reports.delivered(database.alias, job, delivery);
  }

  /** Several that failed at once are one reason to wait. */
  private rest(): void {
    const now = this.now();
    if (now < this.pausedUntil) return;
    this.pause = Math.min(longestPause, this.pause === 0 ? firstPause : this.pause * 2);
    this.pausedUntil = now + this.pause;
  }

  private goOn(): void {
    this.pause = 0;
    this.pausedUntil = 0;
  }
}
