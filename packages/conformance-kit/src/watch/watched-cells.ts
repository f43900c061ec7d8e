/** Shared with the watch: the heartbeat counter, then the numbers of the running checks, or 0. */
export interface WatchedCells {
  readonly cells: Int32Array<SharedArrayBuffer>;
  /** Check names. The first has the number 1. */
  readonly names: readonly string[];
  /** Milliseconds without a heartbeat until a report. */
  readonly silence: number;
  /** Milliseconds between heartbeats. */
  readonly period: number;
}

/** The index of the heartbeat counter. */
export const beats = 0;
