import { setTimeout as pause } from "node:timers/promises";

/** Milliseconds between the end of a poll and the next one. */
const interval = 10;

/**
 * Polls the condition. Returns `true` when it is met, `false` after this many milliseconds. A poll that has begun is not
 * interrupted, so the condition needs a time limit of its own.
 */
export async function pollUntil(condition: () => Promise<boolean>, milliseconds: number): Promise<boolean> {
  const end = performance.now() + milliseconds;
  while (performance.now() < end) {
    if (await condition()) return true;
    await pause(interval);
  }
  return false;
}
