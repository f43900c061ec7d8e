import type { ClaimedMailJob, Delivery, WaitingMail } from "@sallyport/core";
import type { Logger } from "pino";
import type { MailReports } from "../mail/mail-relay.ts";
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
    const facts = { alias, order: id, attempts, age };
    this.metrics.delivered(delivery.kind);
    if (delivery.kind === "sent" || delivery.kind === "refused" || delivery.kind === "later") this.over();
    switch (delivery.kind) {
      case "sent":
        return this.logger.info(facts, "mail sent");
      case "nobody":
        return this.logger.info(
          facts,
          "mail left out: there is nobody to write to, or the last mail is not a minute old",
        );
      case "refused":
        return this.logger.warn({ ...facts, reply: delivery.reply }, "mail refused for good");
      case "later":
        return this.logger.info(
          { ...facts, reply: delivery.reply, delay: delivery.delay },
          "mail postponed by the relay",
        );
      case "lost":
        return this.logger.warn(
          { ...facts, sent: delivery.sent },
          "another process has taken over this mail; if it was sent, it may arrive twice",
        );
      case "failed":
        return this.logger.error(
          { ...facts, delay: delivery.delay, err: delivery.error },
          "mail could not be prepared",
        );
      case "stuck":
        return this.stuck(delivery.error.message);
    }
  }

  waiting(alias: string, waiting: WaitingMail): void {
    this.metrics.mailWaits(alias, waiting);
  }

  failed(alias: string, error: unknown): void {
    this.logger.warn({ alias, err: error }, "the outbox could not be looked after; it will be tried again");
  }

  private stuck(trouble: string): void {
    if (this.lastFailure === trouble) return;
    this.lastFailure = trouble;
    this.logger.error({ trouble }, "mail cannot be sent; it waits, and will be tried again");
  }

  private over(): void {
    if (this.lastFailure === null) return;
    this.lastFailure = null;
    this.logger.info("mail can be sent again");
  }
}
