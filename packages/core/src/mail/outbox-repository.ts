/** An order that waits, sealed under the master key because it can hold a code. */
export interface OutboxEntry {
  /** Rises in the order in which they were put in. */
  readonly id: number;
  readonly sealedOrder: string;
  /** How often it was claimed, this time included. */
  readonly attempts: number;
  /** Milliseconds since it was put in, by the storage's clock. */
  readonly age: number;
}

/** What keeps an order from being sent: its own address or contents, or that no mail can be sent at all. */
export type MailHindrance = "order" | "transport";

/** What waits, claimed or not. */
export interface WaitingMail {
  readonly count: number;
  /** Milliseconds for which the longest has waited; 0 if none does. */
  readonly oldest: number;
  /** Milliseconds since one of them was first kept by the transport, and by nothing else meanwhile; 0 if none is. */
  readonly stuck: number;
}

/**
 * Port: mail that was promised. What was put in is there until it is done with, whatever process or server ends. An order whose time is
 * over is neither claimed nor counted. Time is the storage's.
 */
export interface OutboxRepository {
  /**
   * Puts in an order that is worth nothing after `lifetime` milliseconds; 706 if `limit` wait already, however many come at once. A text
   * that is not storable: 307.
   */
  put(sealedOrder: string, options: { readonly lifetime: number; readonly limit: number }): Promise<void>;

  /**
   * Takes at most `limit` that are due, those first that were put in first, for nobody else to take within `lease` milliseconds. It never waits for
   * others who claim.
   */
  claim(limit: number, lease: number): Promise<OutboxEntry[]>;

  /**
   * Puts another order in the place of a claimed one, whose claim goes on; `false` if somebody else has claimed it since, or it is gone. One
   * whose time is over is gone when it is swept.
   */
  replace(id: number, attempts: number, sealedOrder: string): Promise<boolean>;

  /** Done with; `false` as above. */
  done(id: number, attempts: number): Promise<boolean>;

  /** Makes a claimed one due again in `delay` milliseconds, because of what is to blame; `false` as above. */
  postpone(id: number, attempts: number, delay: number, blame: MailHindrance): Promise<boolean>;

  waiting(): Promise<WaitingMail>;

  /** Forgets at most `limit` that are worth nothing any more; how many it were. */
  sweep(limit: number): Promise<number>;
}
