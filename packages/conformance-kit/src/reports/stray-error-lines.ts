import { described } from "../assert/described.ts";
import { originOf } from "./origin-of.ts";
import type { TerminalStyle } from "./terminal-style.ts";

/** An error that the adapter let fall beside the checks. */
export function strayErrorLines(error: unknown, { bad, faint }: TerminalStyle): string[] {
  return [
    `${bad("✗")} thrown beside the checks, where nobody could catch it: ${described(error)}`,
    ...originOf(error).map((frame) => `   ${faint("from")}  ${frame}`),
    "",
  ];
}
