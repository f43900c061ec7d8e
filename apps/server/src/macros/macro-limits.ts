import type { MacroLimits } from "@sallyport/core";
import type { Configuration } from "../configuration/index.ts";

const mebibyte = 1_048_576;

/** The most that any macro may use up. */
export function macroLimits({
  macros: { timeout, cpu, memory, hostCalls, resultBytes },
}: Pick<Configuration, "macros">): MacroLimits {
  return { timeout, cpu: Math.min(cpu, timeout), memory: memory * mebibyte, hostCalls, resultBytes };
}
