import { AesGcmKeyWrapping, NodeDigests } from "@sallyport/crypto";
import { MemoryStorage } from "@sallyport/storage-memory";
import {
  DeliverMail,
  type Delivery,
  type Mail,
  type Mailer,
  type MailOutcome,
  type MailSettings,
  OrderMail,
  type OutboxEntry,
  type ResetMail,
  SealedOrders,
} from "../../src/index.ts";

export const minute = 60_000;
export const settings: MailSettings = { outboxLimit: 10, unusableAfter: 15 * minute };

export function sealedOrders(masterKey = 7): SealedOrders {
  return new SealedOrders(new AesGcmKeyWrapping(new Uint8Array(32).fill(masterKey)));
}

/** An outbox in memory with a transport that does what it is told. */
export class MailFixture {
  readonly sent: Mail[] = [];
  readonly rung: string[] = [];
  readonly storage = new MemoryStorage({ clockOffset: () => this.offset });
  readonly orders = sealedOrders();
  readonly orderMail = new OrderMail({ orders: this.orders, settings, ring: (alias) => this.rung.push(alias) });
  /** What the transport does with the next mails. */
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

  get desk() {
    return { alias: "a", r: this.storage.repositories };
  }

  get outbox() {
    return this.storage.repositories.outbox;
  }

  advance(milliseconds: number): void {
    this.offset += milliseconds;
  }

  deliverMail(orders = this.orders): DeliverMail {
    const mailer: Mailer = {
      send: async (mail) => {
        const outcome = await this.onSend(mail);
        if (outcome.kind === "sent") this.sent.push(mail);
        return outcome;
      },
      close: async () => {},
    };
    const letters = {
      write: (letter: { readonly kind: string }) => ({ subject: letter.kind, text: JSON.stringify(letter), html: "" }),
    };
    const resetMail: ResetMail = { prepare: (r, order) => this.resetMail.prepare(r, order) };
    return new DeliverMail({ orders, resetMail, letters, mailer, digests: new NodeDigests() });
  }

  async claim(): Promise<OutboxEntry> {
    const [entry] = await this.outbox.claim(1, minute);
    if (entry === undefined) throw new Error("Nothing is due.");
    return entry;
  }

  async deliver(entry?: OutboxEntry): Promise<Delivery> {
    return this.deliverMail().run({ alias: "a", storage: this.storage }, entry ?? (await this.claim()));
  }
}
