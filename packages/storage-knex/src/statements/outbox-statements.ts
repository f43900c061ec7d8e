import type { Statement } from "../statement.ts";

export interface OutboxStatements {
  /** Until the transaction ends, nobody else puts in an order. */
  readonly hold: Statement;
  /** 1 order, 2 lifetime, 3 limit, 4 offset of the clock. Adds a row unless the limit is reached. */
  readonly put: Statement;
  /** 1 limit, 2 offset of the clock. Holds those that are due and that nobody holds. */
  readonly due: Statement;
  /** 1 array of ids, 2 lease, 3 offset of the clock. */
  readonly take: Statement;
  /** 1 id, 2 attempts, 3 order. */
  readonly replace: Statement;
  /** 1 id, 2 attempts. */
  readonly done: Statement;
  /** 1 id, 2 attempts, 3 delay, 4 whether the transport is to blame, 5 offset of the clock. */
  readonly postpone: Statement;
  /** 1 offset of the clock. Gives `count`, and `oldest` and `stuck` in milliseconds. */
  readonly waiting: Statement;
  /** 1 limit, 2 offset of the clock. */
  readonly sweep: Statement;
}

export interface OutboxRow {
  readonly id: string;
  readonly sealed_order: string;
  readonly attempts: number;
  readonly age: string;
}

export interface WaitingRow {
  readonly count: string;
  readonly oldest: string;
  readonly stuck: string;
}
