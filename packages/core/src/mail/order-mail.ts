import { ServiceError } from "../errors/service-error.ts";
import type { Repositories } from "../storage/repositories.ts";
import type { MailOrder } from "./mail.ts";
import type { SealedOrders } from "./sealed-orders.ts";

const minute = 60_000;

/** Milliseconds for which orders are worth sending; that of a code ends with the code. */
const lifetimes = {
  passwordReset: 60 * minute,
  passwordChanged: 3 * 24 * 60 * minute,
  accountLinked: 3 * 24 * 60 * minute,
} as const;

export interface MailSettings {
  /** Orders that may wait in a database; requests for a new password are put in only while less than half of them do. */
  readonly outboxLimit: number;
  /** Milliseconds after which a transport that takes nothing has orders refused. */
  readonly unusableAfter: number;
}

/** Where an order belongs: the alias of a database, and its repositories or those of a transaction. */
export interface MailDesk {
  readonly alias: string;
  readonly r: Repositories;
}

export interface OrderMailParts {
  readonly orders: SealedOrders;
  /** `null` where no transport is configured. */
  readonly settings: MailSettings | null;
  /** Tells whoever sends that something was put in which should leave at once, or is about to be; may come too early, and be forgotten. */
  readonly ring: (alias: string) => void;
}

/** Promises a mail. */
export class OrderMail {
  constructor(private readonly parts: OrderMailParts) {}

  /** Whether mail is configured at all. */
  get configured(): boolean {
    return this.parts.settings !== null;
  }

  /**
   * Puts the order in: it is sent, whatever becomes of this process. In a transaction it is put in with everything else. 712 when mail is not
   * configured, or has not been possible for a while, for everybody alike; 706 when too much waits. `isWanted` is called after the check of the transport.
   */
  async run({ alias, r }: MailDesk, order: MailOrder, isWanted?: () => Promise<boolean>): Promise<void> {
    const { orders, settings, ring } = this.parts;
    if (settings === null) throw new ServiceError(712, { detail: "Mail is not configured." });
    const sealed = orders.seal(alias, { order });
    const { stuck } = await r.outbox.waiting();
    if (stuck > settings.unusableAfter)
      throw new ServiceError(712, { detail: "Mail has not been possible for a while." });
    if (isWanted !== undefined && !(await isWanted())) return;
    await r.outbox.put(sealed, { lifetime: lifetimeOf(order), limit: limitOf(order, settings) });
    // Sending this costs more where there is such a user: it is not to begin when somebody could measure it with his next request.
    if (order.kind !== "passwordReset") ring(alias);
  }
}

/** Anybody can ask for resets, as often as he likes: they leave room for the mail of those who are logged in. */
function limitOf({ kind }: MailOrder, { outboxLimit }: MailSettings): number {
  return kind === "passwordReset" ? Math.ceil(outboxLimit / 2) : outboxLimit;
}

function lifetimeOf(order: MailOrder): number {
  return order.kind === "confirmationCode" ? order.minutes * minute : lifetimes[order.kind];
}
