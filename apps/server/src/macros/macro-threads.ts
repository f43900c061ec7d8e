import { availableParallelism } from "node:os";

const least = 2;
const most = 4;

/** How many threads macros have: what is configured, else what the machine has to spare. */
export function macroThreads(configured: number | undefined): number {
  return configured ?? Math.min(most, Math.max(least, availableParallelism() - 1));
}
