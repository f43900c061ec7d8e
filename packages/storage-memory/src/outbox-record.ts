/** An order in the outbox; times are milliseconds since 1970. */
export interface OutboxRecord {
  readonly sealedOrder: string;
  readonly attempts: number;
  readonly putAt: number;
  readonly dueAt: number;
  readonly expiresAt: number;
  /** Since when the transport keeps it; `null` if something else does. */
  readonly stuckSince: number | null;
}
