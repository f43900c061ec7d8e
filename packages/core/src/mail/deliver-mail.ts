import type { Database } from "../request/index.ts";
import type { ClaimedRecord } from "../storage/index.ts";
import { type Letter, type LetterWriter, type Mailer, MailerUnusable, type ResetMail } from "./mail.ts";
import { mailOrders, type SealedOrders, stuckOrders, type WaitingOrder } from "./order-mail.ts";

/** The first delay after an attempt that failed, in milliseconds; it doubles with every further one. */
const initialDelay = 10_000;

/** A transport that is back is to be noticed soon; who refuses one mail is not to be bothered. */
const maxDelay: Readonly<Record<MailHindrance, number>> = { transport: 60_000, order: 600_000 };

/** What keeps an order from being sent: its own address or contents, or that no mail can be sent at all. */
type MailHindrance = "order" | "transport";

export type ClaimedOrder = ClaimedRecord<WaitingOrder>;

interface ReadyLetter {
  readonly letter: Letter;
  readonly order: ClaimedOrder;
}

export type Delivery =
  | { readonly kind: "sent" }
  /** The relay will never take it; `reply` as in `MailOutcome`. Nobody tries again. */
  | { readonly kind: "refused"; readonly reply: string }
  /** It was to be sent to somebody who is not there, or was written to a moment ago. */
  | { readonly kind: "nobody" }
  /** It is tried again in `delay` milliseconds. */
  | { readonly kind: "later"; readonly reply: string; readonly delay: number }
  /** The same, because no mail at all can be handed over. */
  | { readonly kind: "stuck"; readonly trouble: MailerUnusable; readonly delay: number }
  /** The same; it could not be opened, prepared or written. */
  | { readonly kind: "failed"; readonly error: unknown; readonly delay: number }
  /** Somebody else has claimed it meanwhile. `sent`: it may arrive twice. */
  | { readonly kind: "lost"; readonly sent: boolean };

export interface DeliverMailParts {
  readonly orders: SealedOrders;
  readonly resetMail: ResetMail;
  readonly letters: LetterWriter;
  readonly mailer: Mailer;
}

type Desk = Pick<Database, "alias" | "storage">;

/** Undoes a preparation whose order is somebody else's by now. */
class Lost extends Error {}

/**
 * Sends what a claimed order asks for. An order is forgotten only after the relay has taken its mail, so that none gets lost; where the
 * process ends in between, or the relay breaks off after it has taken it, the mail is sent again, with the same reference.
 */
export class DeliverMail {
  constructor(private readonly parts: DeliverMailParts) {}

  async run(desk: Desk, order: ClaimedOrder): Promise<Delivery> {
    let ready: ReadyLetter | null;
    try {
      ready = await this.letterOf(desk, order);
    } catch (error) {
      if (error instanceof Lost) return { kind: "lost", sent: false };
      return this.postpone(desk, order, "order", (delay) => ({ kind: "failed", error, delay }));
    }
    return ready === null ? { kind: "nobody" } : this.send(desk, ready);
  }

  /** The letter that an order asks for. One for a new password is prepared once, and from then on waits instead of the order. */
  private async letterOf({ alias, storage }: Desk, claimed: ClaimedOrder): Promise<ReadyLetter | null> {
    const { orders, resetMail } = this.parts;
    const content = orders.open(alias, claimed.value.sealed);
    if (content === undefined) throw new Error("The order was sealed under another master key.");
    if ("letter" in content) return { letter: content.letter, order: claimed };
    const { order } = content;
    if (order.kind !== "passwordReset") return { letter: order, order: claimed };
    return storage.transaction(async (r) => {
      const prepared = await resetMail.prepare(r, order);
      const { language } = order;
      const letter: Letter | null = prepared === null ? null : { kind: "passwordReset", ...prepared, language };
      const value = letter === null ? null : { ...claimed.value, sealed: orders.seal(alias, { letter }) };
      if (!(await r.records.settle(mailOrders, claimed, value === null ? "done" : { value }))) throw new Lost();
      return letter === null || value === null ? null : { letter, order: { ...claimed, value } };
    });
  }

  private async send(desk: Desk, { letter, order }: ReadyLetter): Promise<Delivery> {
    const { letters, mailer } = this.parts;
    let outcome;
    try {
      // The same with every attempt, so that a mail that arrives twice can be known.
      const reference = order.id.slice(0, 32);
      outcome = await mailer.send({ to: letter.to, reference, ...letters.write(letter, desk.alias) });
    } catch (error) {
      if (!(error instanceof MailerUnusable))
        return this.postpone(desk, order, "order", (delay) => ({ kind: "failed", error, delay }));
      return this.postpone(desk, order, "transport", (delay) => ({ kind: "stuck", trouble: error, delay }));
    }
    const { kind } = outcome;
    if (kind === "later") return this.postpone(desk, order, "order", (delay) => ({ ...outcome, kind, delay }));
    return (await settle(desk, order, null)) ? outcome : { kind: "lost", sent: kind === "sent" };
  }

  private async postpone(
    desk: Desk,
    order: ClaimedOrder,
    blame: MailHindrance,
    delivery: (delay: number) => Delivery,
  ): Promise<Delivery> {
    const delay = Math.min(maxDelay[blame], initialDelay * 2 ** Math.min(order.claims - 1, 16));
    const postponed = await settle(desk, order, { dueIn: delay, blame });
    return postponed ? delivery(delay) : { kind: "lost", sent: false };
  }
}

/** Ends a claim: the order is done with (`null`), or waits longer. It is among those that are stuck while the transport is to blame. */
async function settle(
  { storage }: Desk,
  order: ClaimedOrder,
  again: { readonly dueIn: number; readonly blame: MailHindrance } | null,
): Promise<boolean> {
  const stuck = again?.blame === "transport";
  const settlement = again === null ? "done" : { dueIn: again.dueIn };
  if (stuck === order.value.stuck) return storage.repositories.records.settle(mailOrders, order, settlement);
  return storage.transaction(async ({ records }) => {
    const next = settlement === "done" ? settlement : { ...settlement, value: { ...order.value, stuck } };
    if (!(await records.settle(mailOrders, order, next))) return false;
    if (stuck)
      await records.put(stuckOrders, order.id, true, { lifetime: Math.max(1, order.value.lifetime - order.age) });
    else await records.remove(stuckOrders, { ids: [order.id] });
    return true;
  });
}
