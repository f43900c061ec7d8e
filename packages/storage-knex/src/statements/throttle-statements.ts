import type { Statement } from "../statement.ts";

/**
 * The first parameter is an array of `{key, free, first, longest, forget}`, each key once; the second the offset of
 * the clock. Waits come back in milliseconds. Rows are locked in the order of their keys, so that nobody deadlocks.
 */
export interface ThrottleStatements {
  readonly attempt: Statement;
  readonly fail: Statement;
  /** 1 all keys, 2 the array, 3 keys to forget, 4 offset of the clock. */
  readonly pass: Statement;
  /** 1 limit, 2 offset of the clock. */
  readonly sweep: Statement;
}
