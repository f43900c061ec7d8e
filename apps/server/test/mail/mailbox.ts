import type { ReceivedMail } from "@sallyport/test-kit/mail/received-mail";
import { type SmtpSink, startSmtpSink } from "@sallyport/test-kit/mail/smtp-sink";
import { tuned } from "../test-environment.ts";

/** A relay on this machine with a way to wait for its mail. */
export class Mailbox {
  private readonly arrived: ReceivedMail[] = [];
  private readonly waiting: ((mail: ReceivedMail) => void)[] = [];
  private sink: SmtpSink | undefined;

  async open(): Promise<void> {
    this.sink = await startSmtpSink({ hideSTARTTLS: true, take: (mail) => this.take(mail) });
  }

  /** The settings of a server, so that its mail arrives here quickly. */
  get environment(): Readonly<Record<string, string>> {
    return {
      SMTP_HOST: "127.0.0.1",
      SMTP_PORT: String(this.sink?.port),
      MAIL_FROM: "no-reply@example.org",
      ...tuned({ mail: { pollInterval: 100 } }),
    };
  }

  /** The number of unread mails. */
  get left(): number {
    return this.arrived.length;
  }

  /** The next mail. */
  next(): Promise<ReceivedMail> {
    const mail = this.arrived.shift();
    if (mail !== undefined) return Promise.resolve(mail);
    return new Promise((resolve) => {
      this.waiting.push(resolve);
    });
  }

  async close(): Promise<void> {
    await this.sink?.close();
  }

  private take(mail: ReceivedMail): void {
    const waiting = this.waiting.shift();
    if (waiting === undefined) this.arrived.push(mail);
    else waiting(mail);
  }
}
