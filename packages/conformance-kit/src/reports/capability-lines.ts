import { capabilityWords, type StorageCapabilities } from "@sallyport/core";
import type { Check } from "../check.ts";
import { counted } from "./counted.ts";
import type { TerminalStyle } from "./terminal-style.ts";

/** What an adapter declares, and which checks mean nothing for it therefore. */
export function capabilityLines(
  capabilities: StorageCapabilities,
  checks: readonly Check[],
  { strong, faint }: TerminalStyle,
): string[] {
  const words = [...capabilityWords(capabilities)];
  const width = Math.max(...words.map(([name]) => name.length));
  const lines = words.map(([name, word]) => {
    const leftOut = capabilities[name] ? 0 : checks.filter(({ needs }) => needs === name).length;
    const reason = leftOut === 0 ? "" : `; ${counted(leftOut, "check")} about it left out`;
    return `  ${name.padEnd(width)}  ${word}${faint(reason)}`;
  });
  return [strong("Declared capabilities"), ...lines];
}
