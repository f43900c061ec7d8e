import { availableParallelism } from "node:os";
import type { MacroLimits } from "@sallyport/core";
import type { Configuration } from "../configuration/index.ts";

const mebibyte = 1_048_576;

/** The most that any macro may use up. */
export function macroLimits({
  macros: { timeout, cpu, memory, hostCalls, resultBytes },
}: Pick<Configuration, "macros">): MacroLimits {
  return { timeout, cpu: Math.min(cpu, timeout), memory: memory * mebibyte, hostCalls, resultBytes };
}

const least = 2;
const most = 4;

/** How many threads macros have: what is configured, else what the machine has to spare. */
export function macroThreads(configured: number | undefined): number {
  return configured ?? Math.min(most, Math.max(least, availableParallelism() - 1));
}
