import { type Mail, type Mailer, MailerUnusable, type MailOutcome } from "@sallyport/core";
import { createTransport, type Transporter } from "nodemailer";
import { mailMessage } from "./mail-message.ts";
import { outcomeOf } from "./smtp-failure.ts";
import type { Sender, SmtpOptions } from "./smtp-options.ts";

/** Connections to the relay at once, and mails on one of them. */
const [connections, mailsPerConnection] = [3, 100];

/** One mail takes this many answers at most; a relay that gives each of them in the last moment is given up then. */
const answersPerMail = 6;

/** Hands mail to a relay by SMTP, over connections that are kept for a while. Its certificate is always checked. */
export class SmtpMailer implements Mailer {
  private readonly transport: Transporter;
  private readonly atWork = new Set<Promise<unknown>>();
  private readonly deadline: number;
  private closed = false;

  constructor(
    { host, port, security, credentials, authorities, timeout }: SmtpOptions,
    private readonly sender: Sender,
  ) {
    this.deadline = answersPerMail * timeout;
    this.transport = createTransport({
      pool: true,
      host,
      port,
      secure: security === "tls",
      requireTLS: security === "startTls",
      ignoreTLS: security === "none",
      ...(credentials === null ? {} : { auth: { user: credentials.user, pass: credentials.password } }),
      tls: { minVersion: "TLSv1.2", ...(authorities === undefined ? {} : { ca: authorities }) },
      connectionTimeout: timeout,
      greetingTimeout: timeout,
      socketTimeout: timeout,
      dnsTimeout: timeout,
      maxConnections: connections,
      maxMessages: mailsPerConnection,
      // What was broken off may have been taken; the outbox decides when it is tried again.
      maxRequeues: 0,
    });
  }

  async send(mail: Mail): Promise<MailOutcome> {
    if (this.closed) throw new MailerUnusable("away", "The transport is closed.");
    const message = mailMessage(mail, this.sender);
    if (message === null) return { kind: "refused", reply: "address" };
    const sending = withinDeadline(this.transport.sendMail(message), this.deadline);
    this.atWork.add(sending);
    try {
      await sending;
      return { kind: "sent" };
    } catch (error) {
      if (error instanceof MailerUnusable) throw error;
      return outcomeOf(error);
    } finally {
      this.atWork.delete(sending);
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    await Promise.allSettled(this.atWork);
    this.transport.close();
  }
}

async function withinDeadline(sending: Promise<unknown>, milliseconds: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new MailerUnusable("timeout", "The relay took too long.")), milliseconds);
  });
  try {
    await Promise.race([sending, late]);
  } finally {
    clearTimeout(timer);
  }
}
