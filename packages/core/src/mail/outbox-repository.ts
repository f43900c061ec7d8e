/** An order that waits, sealed under the master key because it can hold a code. */
export interface OutboxEntry {
  /** Rises. */
  readonly id: number;
  readonly sealedOrder: string;
  /** How often it was claimed, this time included. */
  readonly attempts: number;
  /** Milliseconds since it was put in, by the storage's clock. */
  readonly age: number;
}

/** Port: mail that was promised. What was put in is there until it is done with, whatever process or server ends. */
export interface OutboxRepository {
  /** Puts in an order that is worth nothing after `lifetime` milliseconds; 706 if `limit` wait already. */
  put(sealedOrder: string, options: { readonly lifetime: number; readonly limit: number }): Promise<void>;

  /** Takes at most `limit` that are due, the longest waiting first, for nobody else to take within `lease` milliseconds. */
  claim(limit: number, lease: number): Promise<OutboxEntry[]>;

  /** Done with; `false` if somebody else has claimed it since, or it is gone. */
  done(id: number, attempts: number): Promise<boolean>;

  /** Makes a claimed one due again in `delay` milliseconds; `false` as above. */
  postpone(id: number, attempts: number, delay: number): Promise<boolean>;

  /** How many wait, and for how many milliseconds the longest has. */
  waiting(): Promise<{ readonly count: number; readonly oldest: number }>;

  /** Forgets at most `limit` that are worth nothing any more; how many it were. */
  sweep(limit: number): Promise<number>;
}
