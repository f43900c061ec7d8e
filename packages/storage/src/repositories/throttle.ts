import { ServiceError } from "../errors/index.ts";
import type { Access } from "../kernel/access.ts";
import type { RowReader, Rows } from "../kernel/rows.ts";
import {
  delayAfter,
  distinctKeys,
  type ExemptionGrant,
  exemptionRenewal,
  type ThrottleKey,
  type ThrottlePolicy,
  type ThrottleRepository,
} from "../ports/throttle-repository.ts";
import { exemptionTable, throttleTable, type ThrottleRow } from "./tables.ts";

/** See `ThrottleRepository` for the rules. */
export const throttleRepository = (access: Access): ThrottleRepository => ({
  attempt: (keys) =>
    access.write(async (rows) => {
      const now = await rows.now();
      const checks = await checksOf(rows, keys, now);
      const blocking = checks.filter(({ isExempted }) => !isExempted);
      // The wait of all keys, so that an exemption is not revealed.
      if (longest(blocking) > 0) return { wait: longest(checks), reserved: false };
      // No delay is pending, so those that there are have ended: each lets one attempt pass, and starts again.
      const reserved = blocking.flatMap(({ row, policy }) =>
        row !== undefined && delayAfter(row.failures, policy) > 0 ? [{ ...row, delayedAt: now }] : [],
      );
      await rows.put(throttleTable, ...reserved);
      return { wait: 0, reserved: reserved.length > 0 };
    }),

  fail: (keys) =>
    access.write(async (rows) => {
      const now = await rows.now();
      let wait = 0;
      const failed: ThrottleRow[] = [];
      for (const check of await checksOf(rows, keys, now)) {
        if (check.isExempted && check.wait > 0) {
          // The same answer as without the exemption, so that it is not revealed.
          wait = Math.max(wait, check.wait);
          continue;
        }
        const row = afterFailure(check, now);
        failed.push(row);
        wait = Math.max(wait, delayAfter(row.failures, check.policy));
      }
      await rows.put(throttleTable, ...failed);
      return wait;
    }),

  pass: (keys, forget, granted) =>
    access.write(async (rows) => {
      const now = await rows.now();
      const checks = await checksOf(rows, keys, now);
      if (longest(checks.filter(({ isExempted }) => !isExempted)) > 0) throw new ServiceError(302);
      await rows.delete(throttleTable, ...forget.map((key) => [key]));
      if (granted !== undefined) await grant(rows, granted, now);
    }),

  sweep: (limit) =>
    access.write(async (rows) => {
      const through = [await rows.now()];
      const over = await rows.list(throttleTable, { index: "byExpiry", through }, limit);
      await rows.delete(throttleTable, ...over.map(({ key }) => [key]));
      const rest = limit - over.length;
      const exemptions = await rows.list(exemptionTable, { index: "byExpiry", through }, rest);
      await rows.delete(exemptionTable, ...exemptions.map(({ group, member }) => [group, member]));
      return over.length + exemptions.length;
    }),
});

/** A key with its unexpired failures. */
interface Check extends ThrottleKey {
  readonly row: ThrottleRow | undefined;
  /** Milliseconds until its delay ends; 0 without a pending one. */
  readonly wait: number;
  readonly isExempted: boolean;
}

async function checksOf(rows: RowReader, throttleKeys: readonly ThrottleKey[], now: number): Promise<Check[]> {
  const keys = distinctKeys(throttleKeys);
  const stored = await rows.getAll(
    throttleTable,
    keys.map(({ key }) => [key]),
  );
  const unexpired = new Map(stored.filter((row) => now < row.expiresAt).map((row) => [row.key, row]));
  const exemptions = await rows.getAll(
    exemptionTable,
    keys.flatMap(({ exemption }) => (exemption === undefined ? [] : [[exemption.group, exemption.member]])),
  );
  const isValid = (exemption: ThrottleKey["exemption"]) =>
    exemptions.some(
      ({ group, member, expiresAt }) => group === exemption?.group && member === exemption.member && now < expiresAt,
    );
  return keys.map((each) => {
    const row = unexpired.get(each.key);
    return { ...each, row, wait: waitOf(row, each.policy, now), isExempted: isValid(each.exemption) };
  });
}

function waitOf(row: ThrottleRow | undefined, policy: ThrottlePolicy, now: number): number {
  if (row === undefined) return 0;
  const delay = delayAfter(row.failures, policy);
  // Without a delay there is no wait, also if the clock was set back.
  return delay === 0 ? 0 : Math.max(0, row.delayedAt + delay - now);
}

function longest(checks: readonly Check[]): number {
  return Math.max(0, ...checks.map(({ wait }) => wait));
}

/** The failures of a key after one more. */
function afterFailure({ key, policy, row }: Check, now: number): ThrottleRow {
  return { key, failures: (row?.failures ?? 0) + 1, expiresAt: now + policy.resetAfter, delayedAt: now };
}

async function grant(rows: Rows, { group, member, lifetime, atMost }: ExemptionGrant, now: number): Promise<void> {
  const expiresAt = now + lifetime;
  const before = await rows.get(exemptionTable, group, member);
  if (before !== undefined && before.expiresAt >= expiresAt - exemptionRenewal) return;
  await rows.put(exemptionTable, { group, member, expiresAt, granted: await rows.stamp() });
  const surplus = (await rows.count(exemptionTable, { index: "byGroup", of: [group] })) - atMost;
  const oldest = await rows.list(exemptionTable, { index: "byGroup", of: [group] }, surplus);
  await rows.delete(exemptionTable, ...oldest.map((each) => [each.group, each.member]));
}
