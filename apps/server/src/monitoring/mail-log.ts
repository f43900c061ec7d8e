import type { ClaimedMailJob, Delivery, WaitingMail } from "@sallyport/core";
import type { Logger } from "pino";
import type { MailReports } from "../mail/mail-outbox.ts";
import type { Metrics } from "./metrics.ts";

/** Reports mail to log and metrics: counts, outcomes and reply codes, never recipients or content. */
export class MailLog implements MailReports {
  /** The current failure of the transport. Only its start and end are logged. */
  private lastFailure: string | null = null;

  constructor(
    private readonly logger: Logger,
    private readonly metrics: Pick<Metrics, "delivered" | "mailWaits">,
  ) {}

  delivered(alias: string, { id, claims: attempts, age }: ClaimedMailJob, delivery: Delivery): void {
    const facts = { alias, jobId: id, attempts, ageMs: age };
    this.metrics.delivered(delivery.kind);
    if (delivery.kind === "sent" || delivery.kind === "rejected" || delivery.kind === "deferred") this.over();
    switch (delivery.kind) {
      case "sent":
        return this.logger.info(facts, "Mail sent");
      case "skipped":
        return this.logger.info(facts, "Mail skipped; no recipient, or a recent mail");
      case "rejected":
        return this.logger.warn({ ...facts, reply: delivery.reply }, "Mail rejected");
      case "deferred":
        return this.logger.info({ ...facts, reply: delivery.reply, delayMs: delivery.delay }, "Mail deferred");
      case "superseded":
        return this.logger.warn(
          { ...facts, sent: delivery.sent },
          "Mail job claimed by another process; a sent mail may arrive twice",
        );
      case "failed":
        return this.logger.error({ ...facts, delayMs: delivery.delay, err: delivery.error }, "Mail delivery failed");
      case "unavailable":
        return this.stuck(delivery.error.message);
    }
  }

  waiting(alias: string, waiting: WaitingMail): void {
    this.metrics.mailWaits(alias, waiting);
  }

  failed(alias: string, error: unknown): void {
    this.logger.warn({ alias, err: error }, "Outbox poll failed");
  }

  private stuck(diagnostics: string): void {
    if (this.lastFailure === diagnostics) return;
    this.lastFailure = diagnostics;
    this.logger.error({ diagnostics }, "Mail transport unavailable");
  }

  private over(): void {
    if (this.lastFailure === null) return;
    this.lastFailure = null;
    this.logger.info("Mail transport available");
  }
}
