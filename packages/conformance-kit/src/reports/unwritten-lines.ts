import type { CheckResult } from "../run-check.ts";
import { counted } from "./counted.ts";
import type { TerminalStyle } from "./terminal-style.ts";

/** More of them at once are no plan for a day. */
const told = 8;
const barWidth = 40;

/** How far the adapter is, and what checks are waiting for: what most of them came to first. */
export function unwrittenLines(results: readonly CheckResult[], { strong, good, faint }: TerminalStyle): string[] {
  const waiting = new Map<string, number>();
  for (const { outcome, error } of results) {
    if (outcome !== "toWrite") continue;
    const { message } = error as Error;
    waiting.set(message, (waiting.get(message) ?? 0) + 1);
  }
  if (waiting.size === 0) return [];
  const passed = results.filter(({ outcome }) => outcome === "passed").length;
  const all = results.filter(({ outcome }) => outcome !== "notApplicable").length;
  const filled = Math.floor((passed / all) * barWidth);
  const most = [...waiting].toSorted(([, one], [, other]) => other - one);
  return [
    `${good("█".repeat(filled))}${faint("░".repeat(barWidth - filled))} ${passed} of ${counted(all, "check")}`,
    "",
    strong("To be written next"),
    ...most.slice(0, told).map(([message, count]) => `  ${message} ${faint(`${counted(count, "check")} came to it.`)}`),
    ...(most.length > told ? [faint(`  and ${most.length - told} more`)] : []),
    "",
  ];
}
