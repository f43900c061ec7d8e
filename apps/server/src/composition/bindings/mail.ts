import { DeliverMail, OrderMail, SealedOrders } from "@sallyport/core";
import { createMailer } from "../../mail/create-mailer.ts";
import { MailBell, MailRelay } from "../../mail/mail-relay.ts";
import { readTemplates } from "../../mail/read-templates.ts";
import { TemplateLetterWriter } from "../../mail/template-letter-writer.ts";
import { MailLog } from "../../operations/mail-log.ts";
import { by, of, parts, type Recipes } from "../parts.ts";

const { configuration, digests, logger, mailBell, mailer, metrics, sealedOrders } = parts;

/** Mail: how it is ordered, worded and sent. */
export const mailParts = {
  mailBell: of(MailBell, []),
  sealedOrders: of(SealedOrders, [parts.keyWrapping]),
  mailer: by(createMailer, [configuration]),
  orderMail: by(
    (orders, digest, bell, { mail }) => {
      const settings = (mail.smtp.host ?? mail.directory) === undefined ? null : mail;
      return new OrderMail({ orders, digests: digest, settings, ring: (alias) => bell.ring(alias) });
    },
    [sealedOrders, digests, mailBell, configuration],
  ),
  deliverMail: by(
    (transport, orders, resetMail, { mail, applicationName, passwords }) => {
      if (transport === null) return null;
      const frame = { service: applicationName, resetLink: passwords.resetLink ?? null };
      const letters = new TemplateLetterWriter(readTemplates(mail.templatesDirectory).templates, frame);
      return new DeliverMail({ orders, resetMail, letters, mailer: transport });
    },
    [mailer, sealedOrders, parts.resetMail, configuration],
  ),
  mailRelay: by(
    (deliverMail, bell, log, measured, { mail: { pollInterval: interval, smtp } }) => {
      if (deliverMail === null) return null;
      const reports = new MailLog(log, measured);
      const relay = new MailRelay({ deliverMail, reports, interval, lease: leaseOf(smtp.timeout) });
      bell.answer((alias) => relay.ring(alias));
      return relay;
    },
    [parts.deliverMail, mailBell, logger, metrics, configuration],
  ),
} satisfies Recipes;

/** A mail is given up after six answers that each came in the last moment; what is left is for preparing it. */
function leaseOf(timeout: number): number {
  return 6 * timeout + 60_000;
}
