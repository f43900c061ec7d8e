import { ConformanceError } from "../assert/index.ts";
import { described } from "../assert/described.ts";
import type { ContractPlace } from "../contract/contracts.ts";
import type { CheckResult } from "../run-check.ts";
import type { TerminalStyle } from "./terminal-style.ts";

/** Contracts of more calls than the last ones would say nothing. */
const callsTold = 2;

/** What is told beside the failure itself. */
export interface FailureContext {
  readonly contracts: ReadonlyMap<string, ContractPlace>;
  /** The command that runs the check alone. */
  readonly again: (check: string) => string;
  readonly style: TerminalStyle;
}

/** A failure: what was expected and what came, where it stands in the contract, and how to run the check again. */
export function failureLines(
  { section, name, error, calls }: CheckResult,
  number: number,
  { contracts, again, style }: FailureContext,
): string[] {
  const places = calls
    .slice(-callsTold)
    .toReversed()
    .flatMap((call) => contracts.get(call) ?? []);
  const rows = [
    ...errorRows(error),
    ...places.map(({ method, file, line }, index) => [index === 0 ? "contract" : "", `${method}, ${file}:${line}`]),
    ["again", again(name)],
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
  if (error instanceof ConformanceError) return [["what", error.message]];
  return [["got", described(error)], ...originOf(error).map((frame, index) => [index === 0 ? "from" : "", frame])];
}

/** An error that the adapter let fall beside the checks. */
export function strayErrorLines(error: unknown, { bad, faint }: TerminalStyle): string[] {
  return [
    `${bad("✗")} thrown outside the checks, where it could not be caught: ${described(error)}`,
    ...originOf(error).map((frame) => `   ${faint("from")}  ${frame}`),
    "",
  ];
}

/** Where an error was thrown that is none of the kit's: the innermost places. */
function originOf(error: unknown): string[] {
  const frames = error instanceof Error ? (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line)) : [];
  return frames.slice(0, 3).map((frame) => frame.trim().replace(/^at /, ""));
}
