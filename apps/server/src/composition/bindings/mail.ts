import { DeliverMail, OrderMail, SealedOrders } from "@sallyport/core";
import type { Container } from "inversify";
import { createMailer } from "../../mail/create-mailer.ts";
import { MailBell, MailRelay } from "../../mail/mail-relay.ts";
import { readTemplates } from "../../mail/read-templates.ts";
import { TemplateLetterWriter } from "../../mail/template-letter-writer.ts";
import { MailLog } from "../../operations/mail-log.ts";
import { identifiers } from "../identifiers.ts";

/** Mail: how it is ordered, worded and sent. */
export function bindMail(container: Container): void {
  const {
    configuration,
    digests,
    keyWrapping,
    logger,
    metrics,
    mailBell,
    mailer,
    mailRelay,
    orderMail,
    resetMail,
    sealedOrders,
    deliverMail,
  } = identifiers;
  container.bind(mailBell).toDynamicValue(() => new MailBell());
  container.bind(sealedOrders).toResolvedValue((wrapping) => new SealedOrders(wrapping), [keyWrapping]);
  container.bind(mailer).toResolvedValue((configured) => createMailer(configured), [configuration]);
  container.bind(orderMail).toResolvedValue(
    (orders, digest, bell, { mail }) => {
      const settings = (mail.smtp.host ?? mail.folder) === undefined ? null : mail;
      return new OrderMail({ orders, digests: digest, settings, ring: (alias) => bell.ring(alias) });
    },
    [sealedOrders, digests, mailBell, configuration],
  );
  container.bind(deliverMail).toResolvedValue(
    (transport, orders, resets, { mail, applicationName, passwords }) => {
      if (transport === null) return null;
      const frame = { service: applicationName, resetLink: passwords.resetLink ?? null };
      const letters = new TemplateLetterWriter(readTemplates(mail.templates).templates, frame);
      return new DeliverMail({ orders, resetMail: resets, letters, mailer: transport });
    },
    [mailer, sealedOrders, resetMail, configuration],
  );
  container.bind(mailRelay).toResolvedValue(
    (deliver, bell, log, measured, { mail: { interval, smtp } }) => {
      if (deliver === null) return null;
      const relay = new MailRelay({
        deliverMail: deliver,
        reports: new MailLog(log, measured),
        interval,
        lease: leaseOf(smtp.timeout),
      });
      bell.answer((alias) => relay.ring(alias));
      return relay;
    },
    [deliverMail, mailBell, logger, metrics, configuration],
  );
}

/** A mail is given up after six answers that each came in the last moment; what is left is for preparing it. */
function leaseOf(timeout: number): number {
  return 6 * timeout + 60_000;
}
