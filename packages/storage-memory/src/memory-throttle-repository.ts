import { delayAfter, ServiceError, type ThrottleKey, type ThrottleRepository, type ThrottleVerdict } from "@sallyport/core";
import type { Access } from "./access.ts";
import type { State } from "./state.ts";
import { claimed, failed, isForgotten, judge, type ThrottleRecord } from "./throttle-record.ts";

export class MemoryThrottleRepository implements ThrottleRepository {
  constructor(private readonly access: Access) {}

  attempt(keys: readonly ThrottleKey[]): Promise<ThrottleVerdict> {
    return this.access.write((state, now) => {
      const wait = longestWait(state, keys, now);
      if (wait > 0) return { wait, claimed: false };
      const taken = keys.filter(({ key, policy }) => judge(state.throttle.get(key), policy, now).kind === "claimable");
      for (const { key } of taken) state.throttle.set(key, claimed(state.throttle.get(key) as ThrottleRecord, now));
      return { wait: 0, claimed: taken.length > 0 };
    });
  }

  fail(keys: readonly ThrottleKey[]): Promise<number> {
    return this.access.write(({ throttle }, now) => {
      const delays = keys.map(({ key, policy }) => {
        const record = failed(throttle.get(key), policy, now);
        throttle.set(key, record);
        return delayAfter(record.failures, policy);
      });
      return Math.max(0, ...delays);
    });
  }

  pass(keys: readonly ThrottleKey[], forget: readonly string[]): Promise<void> {
    return this.access.write((state, now) => {
      if (longestWait(state, keys, now) > 0) throw new ServiceError(302);
      for (const key of forget) state.throttle.delete(key);
    });
  }

  sweep(limit: number): Promise<number> {
    return this.access.write(({ throttle }, now) => {
      const over = [...throttle.entries()].filter(([, record]) => isForgotten(record, now)).slice(0, limit);
      for (const [key] of over) throttle.delete(key);
      return over.length;
    });
  }
}

function longestWait({ throttle }: State, keys: readonly ThrottleKey[], now: number): number {
  const waits = keys.map(({ key, policy }) => {
    const verdict = judge(throttle.get(key), policy, now);
    return verdict.kind === "wait" ? verdict.wait : 0;
  });
  return Math.max(0, ...waits);
}
