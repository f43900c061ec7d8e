import type { Statement } from "../statement.ts";

/**
 * The first parameter is an array of `{key, free, first, longest, forget, exempt}`, each key once; `exempt` is
 * the key of its exemption, or null; the second the offset of
 * the clock. Waits come back in milliseconds. Rows are locked in the order of their keys, so that nobody deadlocks.
 */
export interface ThrottleStatements {
  readonly attempt: Statement;
  readonly fail: Statement;
  /** 1 all keys, 2 the array, 3 keys to forget, 4 offset of the clock; of an exemption that is granted, or null: 5 key, 6 that of its group, 7 how many of it, 8 lifetime, 9 when it is renewed. */
  readonly pass: Statement;
  /** 1 limit, 2 offset of the clock. */
  readonly sweep: Statement;
}
