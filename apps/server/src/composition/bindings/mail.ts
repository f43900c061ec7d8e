import { DeliverMail, type Outbox, SealedMailJobs } from "@sallyport/core";
import { createMailer, smtpTimeout } from "../../mail/create-mailer.ts";
import { mailOutbox } from "../../mail/mail-outbox.ts";
import { readTemplates } from "../../mail/read-templates.ts";
import { TemplateMessageWriter } from "../../mail/template-message-writer.ts";
import { MailLog } from "../../monitoring/mail-log.ts";
import { OutboxNotifier, OutboxRelay } from "../../background/outbox-relay.ts";
import { classFactory, components, type Factories, functionFactory } from "../components.ts";

const { configuration, logger, outboxNotifier, mailer, metrics, sealedMailJobs } = components;

/** Mail: queue, templates and delivery. */
export const mailFactories = {
  outboxNotifier: classFactory(OutboxNotifier, []),
  sealedMailJobs: classFactory(SealedMailJobs, [components.keyWrapping]),
  mailer: functionFactory(createMailer, [configuration]),
  outbox: functionFactory(
    (jobs, notifier, { mail }, tuned): Outbox => {
      const settings = (mail.smtp.host ?? mail.directory) === undefined ? null : tuned.mail;
      return { jobs, settings, notify: (alias) => notifier.notify(alias) };
    },
    [sealedMailJobs, outboxNotifier, configuration, components.tuning],
  ),
  deliverMail: functionFactory(
    (transport, jobs, resetMail, { mail, applicationName, passwords }) => {
      if (transport === null) return null;
      const frame = { service: applicationName, resetLink: passwords.resetLink ?? null };
      const messages = new TemplateMessageWriter(readTemplates(mail.templatesDirectory).templates, frame);
      return new DeliverMail({ jobs, resetMail, messages, mailer: transport });
    },
    [mailer, sealedMailJobs, components.resetMail, configuration],
  ),
  mailRelay: functionFactory(
    (deliverMail, notifier, log, measured, { mail: { pollInterval: interval } }) => {
      if (deliverMail === null) return null;
      const reports = new MailLog(log, measured);
      const relay = new OutboxRelay(mailOutbox({ deliverMail, reports, interval, lease }));
      notifier.subscribe((alias) => relay.notify(alias));
      return relay;
    },
    [components.deliverMail, outboxNotifier, logger, metrics, components.tuning],
  ),
} satisfies Factories;

/** Milliseconds. A mail times out after six SMTP replies at the last moment; the rest covers its preparation. */
const lease = 6 * smtpTimeout + 60_000;
