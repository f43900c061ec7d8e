import type { Database } from "../databases/database.ts";
import type { Digests } from "../digests/digests.ts";
import { type LetterWriter, type Mailer, MailerUnusable } from "./mailer.ts";
import type { Letter, MailOrder } from "./mail.ts";
import type { MailHindrance, OutboxEntry } from "./outbox-repository.ts";
import type { PreparedReset, ResetMail } from "./reset-mail.ts";
import type { SealedOrders } from "./order-mail.ts";

/** The first delay after an attempt that failed, in milliseconds; it doubles with every further one. */
const firstDelay = 10_000;

/** A transport that is back is to be noticed soon; who refuses one mail is not to be bothered. */
const longestDelay: Readonly<Record<MailHindrance, number>> = { transport: 60_000, order: 600_000 };

/** What became of an order. */
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
  readonly digests: Digests;
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

  /** Throws only if the storage does. */
  async run(desk: Desk, entry: OutboxEntry): Promise<Delivery> {
    let ready: Letter | null;
    let reference: string;
    try {
      [ready, reference] = await this.letterOf(desk, entry);
    } catch (error) {
      if (error instanceof Lost) return { kind: "lost", sent: false };
      return this.postpone(desk, entry, "order", (delay) => ({ kind: "failed", error, delay }));
    }
    return ready === null ? { kind: "nobody" } : this.send(desk, entry, ready, reference);
  }

  /** The letter that an order asks for, and what it is told by. One for a new password is prepared once, and from then on waits instead of the order. */
  private async letterOf(
    { alias, storage }: Desk,
    { id, attempts, sealedOrder }: OutboxEntry,
  ): Promise<[Letter | null, string]> {
    const { orders, resetMail } = this.parts;
    const content = orders.open(alias, sealedOrder);
    if (content === undefined) throw new Error("The order was sealed under another master key.");
    if ("letter" in content) return [content.letter, this.referenceOf(sealedOrder)];
    const { order } = content;
    if (order.kind !== "passwordReset") return [order, this.referenceOf(sealedOrder)];
    return storage.transaction(async (r) => {
      const { outbox } = r;
      const prepared = await resetMail.prepare(r, order);
      if (prepared === null) {
        if (!(await outbox.done(id, attempts))) throw new Lost();
        return [null, ""];
      }
      const letter = letterFor(order, prepared);
      const sealed = orders.seal(alias, { letter });
      if (!(await outbox.replace(id, attempts, sealed))) throw new Lost();
      return [letter, this.referenceOf(sealed)];
    });
  }

  private async send(desk: Desk, entry: OutboxEntry, letter: Letter, reference: string): Promise<Delivery> {
    const { letters, mailer } = this.parts;
    const { outbox } = desk.storage.repositories;
    let outcome;
    try {
      outcome = await mailer.send({ to: letter.to, reference, ...letters.write(letter, desk.alias) });
    } catch (error) {
      if (!(error instanceof MailerUnusable))
        return this.postpone(desk, entry, "order", (delay) => ({ kind: "failed", error, delay }));
      return this.postpone(desk, entry, "transport", (delay) => ({ kind: "stuck", trouble: error, delay }));
    }
    const { kind } = outcome;
    if (kind === "later") return this.postpone(desk, entry, "order", (delay) => ({ ...outcome, kind, delay }));
    const done = await outbox.done(entry.id, entry.attempts);
    return done ? outcome : { kind: "lost", sent: kind === "sent" };
  }

  private async postpone(
    { storage }: Desk,
    { id, attempts }: OutboxEntry,
    blame: MailHindrance,
    delivery: (delay: number) => Delivery,
  ): Promise<Delivery> {
    const delay = Math.min(longestDelay[blame], firstDelay * 2 ** Math.min(attempts - 1, 16));
    const postponed = await storage.repositories.outbox.postpone(id, attempts, delay, blame);
    return postponed ? delivery(delay) : { kind: "lost", sent: false };
  }

  private referenceOf(sealed: string): string {
    return this.parts.digests.sha256(sealed).slice(0, 32);
  }
}

function letterFor({ language }: MailOrder, { to, name, token, minutes }: PreparedReset): Letter {
  return { kind: "passwordReset", to, name, token, minutes, language };
}
