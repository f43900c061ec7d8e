import type { RecordCount } from "@sallyport/storage";
import {
  type CountSettings,
  type DeliverLicenceMessages,
  type LicenceDelivery,
  type LicenceMessage,
  type LicenceMessages,
  licenceMessages,
} from "@sallyport/core";
import type { Logger } from "pino";
import type { Metrics } from "../monitoring/metrics.ts";
import type { Outbox } from "../background/outbox-relay.ts";

/** Milliseconds. */
export const licenceIntervals = {
  // Messages are sent at once. A poll only repeats what failed, or what an ended process left.
  poll: 5_000,
  // Sessions that expire change the counts without a message.
  count: 60_000,
};

interface LicenceOutboxParts extends Pick<Outbox<LicenceMessage>, "lease" | "interval"> {
  readonly delivery: DeliverLicenceMessages;
  readonly messages: Pick<LicenceMessages, "noteWaiting">;
  readonly counts: CountSettings;
  readonly queueLimit: number;
  readonly log: LicenceLog;
}

/** The outbox of licence messages. Its polls also count the seats. */
export function licenceOutbox(parts: LicenceOutboxParts): Outbox<LicenceMessage> {
  const { delivery, messages, counts, queueLimit, log, lease, interval } = parts;
  /** Monotonic milliseconds of the last look at the queue, by alias. */
  const looked = new Map<string, number>();
  return {
    lease,
    interval,
    kind: licenceMessages,
    batch: 20,
    deliver: async (database, claimed) => {
      const deliveries = await delivery.deliver(database, claimed);
      for (const each of deliveries) log.delivered(database.alias, each);
      return deliveries.map(({ kind }) => (kind === "superseded" ? null : kind === "sent"));
    },
    polled: async (database) => {
      // Each change notifies the relay, and a long queue takes time to count.
      const now = performance.now();
      if (now - (looked.get(database.alias) ?? Number.NEGATIVE_INFINITY) < 0.9 * interval) return;
      looked.set(database.alias, now);
      const waiting = await database.storage.repositories.records.count(licenceMessages);
      messages.noteWaiting(database.alias, waiting.count);
      log.waiting(database.alias, waiting, queueLimit);
      if (waiting.count < queueLimit) await delivery.count(database, counts);
    },
    failed: (alias, error) => log.failed(alias, error),
  };
}

/** Reports licence messages to log and metrics. Only the start and the end of an outage are logged. */
export class LicenceLog {
  private lastFailure: string | null = null;
  /** Aliases of databases whose queue is full. */
  private readonly full = new Set<string>();

  constructor(
    private readonly logger: Logger,
    private readonly metrics: Pick<Metrics, "licenceMessage" | "licenceMessagesWait">,
  ) {}

  delivered(alias: string, delivery: LicenceDelivery): void {
    this.metrics.licenceMessage(delivery.kind);
    if (delivery.kind === "failed") return this.unavailable(alias, delivery);
    if (delivery.kind !== "sent" || this.lastFailure === null) return;
    this.lastFailure = null;
    this.logger.info("Licence server available");
  }

  waiting(alias: string, waiting: RecordCount, queueLimit: number): void {
    this.metrics.licenceMessagesWait(alias, waiting);
    if (waiting.count < queueLimit) this.full.delete(alias);
    else if (!this.full.has(alias)) {
      this.full.add(alias);
      this.logger.error({ alias, waiting: waiting.count }, "Licence message queue full; changes are not reported");
    }
  }

  failed(alias: string, error: unknown): void {
    this.logger.warn({ alias, err: error }, "Licence message poll failed");
  }

  private unavailable(alias: string, { error, delay }: Extract<LicenceDelivery, { readonly kind: "failed" }>): void {
    const reason = error instanceof Error ? error.message : String(error);
    if (this.lastFailure === reason) return;
    this.lastFailure = reason;
    this.logger.error({ alias, reason, delayMs: delay }, "Licence server unavailable");
  }
}
