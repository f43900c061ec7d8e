import {
  type ExemptionGrant,
  exemptionRenewal,
  type ThrottleExemption,
  type ThrottleKey,
  type ThrottleRepository,
  type ThrottleVerdict,
} from "@sallyport/core";
import type { SqlRunner } from "./sql-runner.ts";
import type { Statement } from "./statement.ts";

export const knexThrottleRepository = (
  sql: SqlRunner,
  statements: ThrottleStatements,
  offset: () => number,
): ThrottleRepository => ({
  async attempt(keys) {
    const asked = askedOf(keys);
    if (asked === null) return { wait: 0, claimed: false };
    const { rows } = await sql.run<ThrottleVerdict>(statements.attempt, [asked, offset()]);
    return rows[0] as ThrottleVerdict;
  },

  async fail(keys) {
    const asked = askedOf(keys);
    if (asked === null) return 0;
    const { rows } = await sql.run<{ wait: number }>(statements.fail, [asked, offset()]);
    return rows[0]?.wait ?? 0;
  },

  async pass(keys, forget, granted) {
    const asked = askedOf(keys);
    if (asked === null && forget.length === 0 && granted === undefined) return;
    // In the one order in which rows are held.
    const all = [...new Set([...keys.map(({ key }) => key), ...forget])].toSorted();
    await sql.run(statements.pass, [all, asked ?? "[]", forget, offset(), ...grantValues(granted)]);
  },

  async sweep(limit) {
    const { rowCount } = await sql.run(statements.sweep, [limit, offset()]);
    return rowCount;
  },
});

/** An exemption is a row without failures, which is swept like those. Its key begins with that of its group. */
const groupKey = ({ group }: ThrottleExemption) => `exempt:${group}:`;
const exemptionKey = (exemption: ThrottleExemption) => `${groupKey(exemption)}${exemption.member}`;

/** Key, that of the group, how many of it there may be, the lifetime, and how much of it must have passed for another grant to be written. */
function grantValues(granted: ExemptionGrant | undefined): (string | number | null)[] {
  if (granted === undefined) return [null, null, null, null, null];
  return [exemptionKey(granted), groupKey(granted), granted.atMost, granted.lifetime, exemptionRenewal];
}

/** The keys with their policies as the statements take them, each key once and in one order; `null` if every throttle is off. */
function askedOf(keys: readonly ThrottleKey[]): string | null {
  const asked = new Map<string, object>();
  for (const { key, policy, exemption } of keys) {
    const { maxFailures: free, initialDelay: first, maxDelay: longest, resetAfter: forget } = policy;
    if (free > 0)
      asked.set(key, {
        key,
        free,
        first,
        longest,
        forget,
        exempt: exemption === undefined ? null : exemptionKey(exemption),
      });
  }
  const names = [...asked.keys()].toSorted();
  return names.length === 0 ? null : JSON.stringify(names.map((name) => asked.get(name)));
}

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
