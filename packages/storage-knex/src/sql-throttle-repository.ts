import {
  distinctKeys,
  type ExemptionGrant,
  exemptionRenewal,
  type ThrottleExemption,
  type ThrottleKey,
  type ThrottleRepository,
  type ThrottleVerdict,
} from "@sallyport/storage";
import type { SqlRunner, Statement } from "./sql-runner.ts";

export const sqlThrottleRepository = (
  sql: SqlRunner,
  statements: ThrottleStatements,
  offset: () => number,
): ThrottleRepository => ({
  async attempt(keys) {
    const requested = requestOf(keys);
    if (requested === null) return { wait: 0, reserved: false };
    const names = keys.map(({ key }) => key);
    const { rows } = await sql.run<ThrottleVerdict>(statements.attempt, [requested, offset(), names]);
    return rows[0] as ThrottleVerdict;
  },

  async fail(keys) {
    const requested = requestOf(keys);
    if (requested === null) return 0;
    const { rows } = await sql.run<{ wait: number }>(statements.fail, [requested, offset()]);
    return rows[0]?.wait ?? 0;
  },

  async pass(keys, resetKeys, granted) {
    const requested = requestOf(keys);
    if (requested === null && resetKeys.length === 0 && granted === undefined) return;
    // In the order in which rows are locked.
    const all = new Set(resetKeys);
    for (const { key } of keys) all.add(key);
    await sql.run(statements.pass, [
      [...all].toSorted(),
      requested ?? "[]",
      resetKeys,
      offset(),
      ...grantValues(granted),
    ]);
  },

  async sweep(limit) {
    const { rowCount } = await sql.run(statements.sweep, [limit, offset()]);
    return rowCount;
  },
});

/** An exemption is a row without failures, swept like the others. Its key starts with that of its group. */
const groupKey = ({ group }: ThrottleExemption) => `exempt:${group}:`;
const exemptionKey = (exemption: ThrottleExemption) => `${groupKey(exemption)}${exemption.member}`;

/** Key, group key, maximum per group, lifetime, and the part of it that must have passed before another grant is written. */
function grantValues(granted: ExemptionGrant | undefined): (string | number | null)[] {
  if (granted === undefined) return [null, null, null, null, null];
  return [exemptionKey(granted), groupKey(granted), granted.atMost, granted.lifetime, exemptionRenewal];
}

/** The keys with their policies as JSON, ordered and without duplicates; `null` if every throttle is off. */
function requestOf(keys: readonly ThrottleKey[]): string | null {
  const requested = [];
  for (const { key, policy, exemption } of distinctKeys(keys).toSorted((one, other) => (one.key < other.key ? -1 : 1)))
    if (policy.maxFailures > 0)
      requested.push({
        key,
        max_failures: policy.maxFailures,
        initial_delay: policy.initialDelay,
        max_delay: policy.maxDelay,
        reset_after: policy.resetAfter,
        exemption: exemption === undefined ? null : exemptionKey(exemption),
      });
  return requested.length === 0 ? null : JSON.stringify(requested);
}

/**
 * Parameter 1 is an array of `{key, max_failures, initial_delay, max_delay, reset_after, exemption}` without duplicate keys; `exemption` is an
 * exemption key or null. Parameter 2 is the clock offset. Waits are in milliseconds. Rows are locked in key order to
 * avoid deadlocks.
 */
export interface ThrottleStatements {
  /** Also 3 the keys. */
  readonly attempt: Statement;
  readonly fail: Statement;
  /** 1 all keys, 2 the array, 3 keys to reset, 4 clock offset; of a granted exemption, or null: 5 key, 6 group key, 7 maximum per group, 8 lifetime, 9 renewal. */
  readonly pass: Statement;
  /** 1 limit, 2 clock offset. */
  readonly sweep: Statement;
}
