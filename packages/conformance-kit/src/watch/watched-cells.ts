/** What the main thread and the watch share: first the beats of the event loop, then the numbers of the running checks, each or 0. */
export interface WatchedCells {
  readonly cells: Int32Array<SharedArrayBuffer>;
  /** By number; the first one has the number 1. */
  readonly names: readonly string[];
  /** Milliseconds without a beat that are told. */
  readonly silence: number;
  /** Milliseconds from beat to beat. */
  readonly period: number;
}

/** The cell of the beats. */
export const beats = 0;
