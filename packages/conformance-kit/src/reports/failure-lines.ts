import { ConformanceError } from "../assert/index.ts";
import { described } from "../assert/described.ts";
import type { ContractPlace } from "../contract/contracts.ts";
import type { CheckResult } from "../run-check.ts";
import type { TerminalStyle } from "./terminal-style.ts";

/** The contracts of the last calls suffice. */
const shownCalls = 2;

/** Additional information for a failure report. */
export interface FailureContext {
  readonly contracts: ReadonlyMap<string, ContractPlace>;
  /** The command that reruns a single check. */
  readonly again: (check: string) => string;
  readonly style: TerminalStyle;
}

/** The report of a failure: expected and actual value, the contract, and the command to rerun the check. */
export function failureLines(
  { section, name, error, calls }: CheckResult,
  number: number,
  { contracts, again, style }: FailureContext,
): string[] {
  const places = calls
    .slice(-shownCalls)
    .toReversed()
    .flatMap((call) => contracts.get(call) ?? []);
  const rows = [
    ...errorRows(error),
    ...places.map(({ method, file, line }, index) => [index === 0 ? "contract" : "", `${method}, ${file}:${line}`]),
    ["rerun", again(name)],
  ];
  return [
    `${style.bad(`${number}.`)} ${section}: ${style.strong(name)}`,
    ...rows.map(([label = "", text = ""]) => `   ${style.faint(label.padEnd(8))}  ${text}`),
    "",
  ];
}

function errorRows(error: unknown): string[][] {
  if (error instanceof ConformanceError && error.comparison !== null) {
    const { what, expected, got } = error.comparison;
    return [
      ["what", what],
      ["expected", expected],
      ["got", got],
    ];
  }
  if (error instanceof ConformanceError)
    return error.message.split("\n").map((line, index) => [index === 0 ? "what" : "", line]);
  return [["got", described(error)], ...originOf(error).map((frame, index) => [index === 0 ? "from" : "", frame])];
}

/** The report of an error that the adapter threw outside the checks. */
export function strayErrorLines(error: unknown, { bad, faint }: TerminalStyle): string[] {
  return [
    `${bad("✗")} uncaught error outside the checks: ${described(error)}`,
    ...originOf(error).map((frame) => `   ${faint("from")}  ${frame}`),
    "",
  ];
}

/** The innermost three stack frames of an error. */
function originOf(error: unknown): string[] {
  const frames = error instanceof Error ? (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line)) : [];
  return frames.slice(0, 3).map((frame) => frame.trim().replace(/^at /, ""));
}
