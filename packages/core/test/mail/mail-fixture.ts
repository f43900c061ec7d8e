import { AesGcmKeyWrapping, NodeDigests } from "@sallyport/crypto";
import { MemoryStorage } from "@sallyport/storage-memory";
import {
  type ClaimedMailJob,
  DeliverMail,
  type Delivery,
  type Mail,
  type Mailer,
  type MailOutcome,
  type MailSettings,
  mailJobs,
  type MailContext,
  type Outbox,
  type ResetMail,
  SealedMailJobs,
  type WaitingMail,
  waitingMail,
} from "../../src/index.ts";

export const minute = 60_000;
export const settings: MailSettings = { outboxLimit: 10, unavailableAfter: 15 * minute };

export function sealedMailJobs(masterKey = 7): SealedMailJobs {
  return new SealedMailJobs(new AesGcmKeyWrapping(new Uint8Array(32).fill(masterKey)));
}

/** An outbox in memory with a scripted transport. */
export class MailFixture {
  readonly sent: Mail[] = [];
  readonly rung: string[] = [];
  readonly storage = new MemoryStorage({ clockOffset: () => this.offset });
  readonly orders = sealedMailJobs();
  /** The outcomes of the next messages. */
  onSend: (mail: Mail) => Promise<MailOutcome> = async () => ({ kind: "sent" });
  resetMail: ResetMail = {
    prepare: async (_r, { user }) =>
      user === "anna" ? { to: "anna@example.com", name: "Anna", token: "token", minutes: 30 } : null,
  };
  private offset = 0;

  static async open(): Promise<MailFixture> {
    const fixture = new MailFixture();
    await fixture.storage.migrate();
    return fixture;
  }

  get mailContext(): MailContext {
    return this.mailContextWith({});
  }

  mailContextWith(outbox: Partial<Outbox>): MailContext {
    const notify = (alias: string) => void this.rung.push(alias);
    return {
      database: { alias: "a", digests: new NodeDigests() },
      r: this.storage.repositories,
      services: { outbox: { jobs: this.orders, settings, notify, ...outbox } },
    };
  }

  waiting(): Promise<WaitingMail> {
    return waitingMail(this.storage.repositories);
  }

  advance(milliseconds: number): void {
    this.offset += milliseconds;
  }

  deliverMail(jobs = this.orders): DeliverMail {
    const mailer: Mailer = {
      send: async (mail) => {
        const outcome = await this.onSend(mail);
        if (outcome.kind === "sent") this.sent.push(mail);
        return outcome;
      },
      close: async () => {},
    };
    const messages = {
      write: (letter: { readonly kind: string }) => ({ subject: letter.kind, text: JSON.stringify(letter), html: "" }),
    };
    const resetMail: ResetMail = { prepare: (r, job) => this.resetMail.prepare(r, job) };
    return new DeliverMail({ jobs, resetMail, messages, mailer });
  }

  due(): Promise<ClaimedMailJob[]> {
    return this.storage.repositories.records.claim(mailJobs, 1, minute);
  }

  async claim(): Promise<ClaimedMailJob> {
    const [job] = await this.due();
    if (job === undefined) throw new Error("Nothing is due.");
    return job;
  }

  async deliver(job?: ClaimedMailJob): Promise<Delivery> {
    return this.deliverMail().deliverMail({ alias: "a", storage: this.storage }, job ?? (await this.claim()));
  }
}
