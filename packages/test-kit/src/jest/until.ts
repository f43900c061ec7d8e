import { setTimeout as pause } from "node:timers/promises";

/** Taken here, because tests replace clocks. */
const now = performance.now.bind(performance);

/** The time at which the running test or hook is over; `undefined` outside of tests. */
let endsAt: number | undefined;

/** Tells waits of this process how long the test or hook that begins now may take, in milliseconds; `undefined`: it is over. */
export function limitWaits(timeout: number | undefined): void {
  // The failure of a wait says more than that of the whole test, and leaves time to clean up.
  endsAt = timeout === undefined ? undefined : now() + timeout - Math.min(3_000, timeout / 10);
}

/** Milliseconds of a wait outside of tests. */
const usualTimeout = 60_000;

/** Milliseconds between two looks. */
const usualInterval = 10;

/**
 * Calls `look` until its answer is truthy, and returns the answer. Throws shortly before the running test or hook would time
 * out, with the source of `look` and what `seen` returns, so that the failure tells what did not happen and nothing goes on
 * after the test. Judges no time: on a slow machine, a test waits as long as it may take.
 */
export async function until<T>(
  look: () => T | Promise<T>,
  { interval = usualInterval, seen }: { readonly interval?: number; readonly seen?: () => unknown } = {},
): Promise<Exclude<NonNullable<T>, false>> {
  const lastLookAt = endsAt ?? now() + usualTimeout;
  for (;;) {
    const answer = await look();
    if (answer) return answer as Exclude<NonNullable<T>, false>;
    if (now() > lastLookAt) {
      const state = seen === undefined ? "" : ` Seen: ${JSON.stringify(await seen())}.`;
      throw new Error(`The time of the test is over, and this is not so yet: ${String(look)}.${state}`);
    }
    await pause(interval);
  }
}
