import { setTimeout as pause } from "node:timers/promises";

const interval = 10;

/** Asks again and again until the answer is yes (`true`), or until so many milliseconds have passed (`false`). */
export async function pollUntil(condition: () => Promise<boolean>, patience: number): Promise<boolean> {
  const end = performance.now() + patience;
  while (performance.now() < end) {
    if (await condition()) return true;
    await pause(interval);
  }
  return false;
}
