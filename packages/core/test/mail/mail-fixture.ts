import { AesGcmKeyWrapping, NodeDigests } from "@sallyport/crypto";
import { MemoryStorage } from "@sallyport/storage-memory";
import {
  type ClaimedOrder,
  DeliverMail,
  type Delivery,
  type Mail,
  type Mailer,
  type MailOutcome,
  type MailSettings,
  mailOrders,
  OrderMail,
  type OrderMailParts,
  type ResetMail,
  SealedOrders,
  type WaitingMail,
  waitingMail,
} from "../../src/index.ts";

export const minute = 60_000;
export const settings: MailSettings = { outboxLimit: 10, unavailableAfter: 15 * minute };

export function sealedOrders(masterKey = 7): SealedOrders {
  return new SealedOrders(new AesGcmKeyWrapping(new Uint8Array(32).fill(masterKey)));
}

/** An outbox in memory with a transport that does what it is told. */
export class MailFixture {
  readonly sent: Mail[] = [];
  readonly rung: string[] = [];
  readonly storage = new MemoryStorage({ clockOffset: () => this.offset });
  readonly orders = sealedOrders();
  readonly orderMail = this.orderMailWith({});
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

  orderMailWith(parts: Partial<OrderMailParts>): OrderMail {
    const ring = (alias: string) => void this.rung.push(alias);
    return new OrderMail({ orders: this.orders, digests: new NodeDigests(), settings, ring, ...parts });
  }

  waiting(): Promise<WaitingMail> {
    return waitingMail(this.storage.repositories);
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
    return new DeliverMail({ orders, resetMail, letters, mailer });
  }

  due(): Promise<ClaimedOrder[]> {
    return this.storage.repositories.records.claim(mailOrders, 1, minute);
  }

  async claim(): Promise<ClaimedOrder> {
    const [order] = await this.due();
    if (order === undefined) throw new Error("Nothing is due.");
    return order;
  }

  async deliver(order?: ClaimedOrder): Promise<Delivery> {
    return this.deliverMail().run({ alias: "a", storage: this.storage }, order ?? (await this.claim()));
  }
}
