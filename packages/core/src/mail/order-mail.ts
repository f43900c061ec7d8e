import type { Digests } from "../digests/index.ts";
import { ServiceError } from "../errors/index.ts";
import { type KeyWrapping, openJson, sealJson } from "../keys/index.ts";
import type { RequestContext } from "../request/index.ts";
import type { Account, ProviderType, RecordKind, Repositories } from "../storage/index.ts";
import type { Letter, MailLanguage, MailOrder } from "./mail.ts";

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
  readonly unavailableAfter: number;
}

/** Where an order belongs: the alias of a database, and its repositories or those of a transaction. */
export interface MailDesk {
  readonly alias: string;
  readonly r: Repositories;
}

export interface OrderMailParts {
  readonly orders: SealedOrders;
  readonly digests: Digests;
  /** `null` where no transport is configured. */
  readonly settings: MailSettings | null;
  /** Tells whoever sends that something was put in which should leave at once, or is about to be; may come too early, and be forgotten. */
  readonly ring: (alias: string) => void;
}

export class OrderMail {
  constructor(private readonly parts: OrderMailParts) {}

  get configured(): boolean {
    return this.parts.settings !== null;
  }

  /**
   * Puts the order in: it is sent, whatever becomes of this process. In a transaction it is put in with everything else. 712 when mail is not
   * configured, or has not been possible for a while, for everybody alike; 706 when too much waits. `isWanted` is called after the check of the transport.
   */
  async run({ alias, r }: MailDesk, order: MailOrder, isWanted?: () => Promise<boolean>): Promise<void> {
    const { orders, digests, settings, ring } = this.parts;
    if (settings === null) throw new ServiceError(712, { detail: "Mail is not configured." });
    const sealed = orders.seal(alias, { order });
    const { oldest: stuck } = await r.records.count(stuckOrders);
    if (stuck > settings.unavailableAfter)
      throw new ServiceError(712, { detail: "Mail has not been possible for a while." });
    if (isWanted !== undefined && !(await isWanted())) return;
    const lifetime = lifetimeOf(order);
    const outcome = await r.records.putWithin(
      mailOrders,
      digests.sha256(sealed),
      { sealed, lifetime, stuck: false },
      { owner: "mail", lifetime, room: { ofOwner: 0, inAll: limitOf(order, settings) } },
    );
    if (outcome !== "stored") throw new ServiceError(706, { detail: "Too much mail waits." });
    // Sending this costs more where there is such a user: it is not to begin when somebody could measure it with his next request.
    if (order.kind !== "passwordReset") ring(alias);
  }
}

/** What a notice is about. */
type NoticedChange =
  | { readonly kind: "passwordChanged" }
  | { readonly kind: "accountLinked"; readonly provider: ProviderType };

/** Tells users of a change of their account, so that they notice a change that they did not make. */
export class ChangeNotice {
  constructor(
    private readonly orderMail: Pick<OrderMail, "configured" | "run">,
    private readonly language: MailLanguage,
  ) {}

  /** Does nothing where there is no address or no mail, and never fails: the change is done already. */
  async send(
    { database, r }: RequestContext,
    { email, loginName: name }: Pick<Account, "email" | "loginName">,
    change: NoticedChange,
    language: MailLanguage | null,
  ): Promise<void> {
    if (email === null || !this.orderMail.configured) return;
    const order = { ...change, to: email, name, language: language ?? this.language };
    await this.orderMail.run({ alias: database.alias, r }, order).catch(() => {});
  }
}

/** Anyone can request resets any number of times, so they leave room for the mail of logged-in users. */
function limitOf({ kind }: MailOrder, { outboxLimit }: MailSettings): number {
  return kind === "passwordReset" ? Math.ceil(outboxLimit / 2) : outboxLimit;
}

function lifetimeOf(order: MailOrder): number {
  return order.kind === "confirmationCode" ? order.minutes * minute : lifetimes[order.kind];
}

/** Mail that was promised, by the SHA-256 of the sealed order: an order stays until it is done with, even if the process or the server ends. */
export const mailOrders: RecordKind<WaitingOrder> = "mail";

/** The orders that the transport keeps from being sent, by the ids of `mailOrders`; each began when the transport first did. */
export const stuckOrders: RecordKind<true> = "stuckMail";

export interface WaitingOrder {
  /** Sealed under the master key, because it can hold a code. */
  readonly sealed: string;
  /** Milliseconds for which it is worth sending, from when it was put in. */
  readonly lifetime: number;
  readonly stuck: boolean;
}

/** What waits, claimed or not. */
export interface WaitingMail {
  readonly count: number;
  /** Milliseconds for which the longest has waited; 0 if none does. */
  readonly oldest: number;
  /** Milliseconds since the transport first kept one of them, and nothing else meanwhile; 0 if it keeps none. */
  readonly stuck: number;
}

export async function waitingMail({ records }: Pick<Repositories, "records">): Promise<WaitingMail> {
  const [waiting, { oldest: stuck }] = await Promise.all([records.count(mailOrders), records.count(stuckOrders)]);
  return { ...waiting, stuck };
}

/** What an order holds: itself as it was given, or the letter that it has become. */
export type OrderContent = { readonly order: MailOrder } | { readonly letter: Letter };

/** Seals what waits in the outbox of one database under the master key: names, addresses and codes are not for readers of tables. */
export class SealedOrders {
  /** @param wrapping `null` without a master key */
  constructor(private readonly wrapping: KeyWrapping | null) {}

  /** 712 without a master key. */
  seal(alias: string, content: OrderContent): string {
    if (this.wrapping === null) throw new ServiceError(712, { detail: "There is no master key." });
    return sealJson(this.wrapping, content, purposeOf(alias));
  }

  /** `undefined` for what was sealed under another master key, or for another database. */
  open(alias: string, sealed: string): OrderContent | undefined {
    return this.wrapping === null
      ? undefined
      : (openJson(this.wrapping, sealed, purposeOf(alias)) as unknown as OrderContent | undefined);
  }
}

function purposeOf(alias: string): string {
  return `outbox|${alias}`;
}
