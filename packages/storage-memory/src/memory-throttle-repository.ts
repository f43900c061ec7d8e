import {
  delayAfter,
  type ExemptionGrant,
  exemptionRenewal,
  ServiceError,
  type ThrottleExemption,
  type ThrottleKey,
  type ThrottleRepository,
} from "@sallyport/storage";
import type { Access } from "./access.ts";
import type { State } from "./state.ts";
import { reserved, failed, isExpired, attemptStateOf, type ThrottleRecord } from "./throttle-record.ts";

export const memoryThrottleRepository = (access: Access): ThrottleRepository => ({
  attempt: (keys) =>
    access.write((state, now) => {
      const checked = keys.filter((key) => !isExempted(state, key, now));
      if (maxWait(state, checked, now) > 0) return { wait: maxWait(state, keys, now), reserved: false };
      const taken = checked.filter(
        ({ key, policy }) => attemptStateOf(state.throttle.get(key), policy, now).kind === "reservable",
      );
      for (const { key } of taken) state.throttle.set(key, reserved(state.throttle.get(key) as ThrottleRecord, now));
      return { wait: 0, reserved: taken.length > 0 };
    }),

  fail: (keys) =>
    access.write((state, now) => {
      const { throttle } = state;
      const delays = keys.map((each) => {
        const { key, policy } = each;
        const left = maxWait(state, [each], now);
        if (left > 0 && isExempted(state, each, now)) return left;
        const record = failed(throttle.get(key), policy, now);
        throttle.set(key, record);
        return delayAfter(record.failures, policy);
      });
      return Math.max(0, ...delays);
    }),

  pass: (keys, forget, granted) =>
    access.write((state, now) => {
      const checked = keys.filter((key) => !isExempted(state, key, now));
      if (maxWait(state, checked, now) > 0) throw new ServiceError(302);
      for (const key of forget) state.throttle.delete(key);
      if (granted !== undefined) grant(state, granted, now);
    }),

  sweep: (limit) => access.write(({ throttle }, now) => throttle.sweep((record) => isExpired(record, now), limit)),
});

const groupPrefix = (group: string) => `exempt:${group}:`;
const recordKey = ({ group, member }: ThrottleExemption) => `${groupPrefix(group)}${member}`;

/** An exemption is a record without failures, so that it is swept like the others. */
function isExempted({ throttle }: State, { exemption }: ThrottleKey, now: number): boolean {
  const record = exemption === undefined ? undefined : throttle.get(recordKey(exemption));
  return record !== undefined && !isExpired(record, now);
}

function grant({ throttle }: State, { lifetime, atMost, ...exemption }: ExemptionGrant, now: number): void {
  const key = recordKey(exemption);
  const before = throttle.get(key);
  if (before !== undefined && before.expiresAt >= now + lifetime - exemptionRenewal) return;
  throttle.set(key, { failures: 0, delayedAt: now, expiresAt: now + lifetime });
  const group = [...throttle.entries()].filter(([other]) => other.startsWith(groupPrefix(exemption.group)));
  const latest = group.toSorted(([, one], [, other]) => one.expiresAt - other.expiresAt);
  for (const [other] of latest.slice(0, Math.max(0, latest.length - atMost))) throttle.delete(other);
}

function maxWait({ throttle }: State, keys: readonly ThrottleKey[], now: number): number {
  const waits = keys.map(({ key, policy }) => {
    const verdict = attemptStateOf(throttle.get(key), policy, now);
    return verdict.kind === "wait" ? verdict.wait : 0;
  });
  return Math.max(0, ...waits);
}
