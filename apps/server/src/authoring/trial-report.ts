import { MacroFault, ServiceError } from "@sallyport/core";
import { tableLines } from "../commands/lists/table-lines.ts";
import { faultLines } from "./fault-lines.ts";
import type { RecordedCall } from "./recorded-runtime.ts";
import type { TrialOutcome } from "./trial.ts";

export interface TrialReport {
  /** What clients would get as `data`, as JSON; `null` if it failed. */
  readonly result: string | null;
  /** Everything else, for people. */
  readonly notes: readonly string[];
}

const longestArgument = 60;

/** What an author wants to know of a trial. `folder` is where the texts are. */
export function trialReport(outcome: TrialOutcome, macro: string, folder: string | null): TrialReport {
  const { data, message, error, recording, milliseconds } = outcome;
  const notes = [
    ...(error === undefined ? [] : failureLines(error, folder)),
    ...(message === undefined ? [] : [`message  ${message}`]),
    ...recording.lines.map(({ macro: from, text }) => `log      ${from === macro ? "" : `${from}: `}${text}`),
    ...callLines(recording.calls).map((line) => `call     ${line}`),
    `time     ${shown(milliseconds)} in all, ${shown(recording.cpu)} of it running`,
  ];
  return { result: error === undefined ? JSON.stringify(data ?? {}, null, 2) : null, notes };
}

/** How a failed execution would be answered, and why. */
export function failureLines(error: unknown, folder: string | null): string[] {
  if (!(error instanceof ServiceError)) return [`error    ${String(error)}`];
  const { status, message, detail, cause } = error;
  const fault = cause instanceof MacroFault ? cause : undefined;
  if (fault !== undefined)
    return [`error    ${status}/${message}`, ...faultLines(fault, folder).map((line) => `         ${line}`)];
  return [`error    ${status}/${message}${detail === undefined ? "" : `: ${detail}`}`];
}

function callLines(calls: readonly RecordedCall[]): string[] {
  const rows = calls.map(({ depth, name, argument, milliseconds, error }) => {
    const text = argument === null || argument === undefined ? "" : JSON.stringify(argument);
    const cut = text.length > longestArgument ? `${text.slice(0, longestArgument)}…` : text;
    return [
      `${"  ".repeat(depth)}${name}`,
      shown(milliseconds),
      error instanceof ServiceError ? `${error.code} ${cut}` : cut,
    ];
  });
  return rows.length === 0 ? [] : tableLines(["", "", ""], rows).slice(1);
}

function shown(milliseconds: number): string {
  return `${milliseconds < 10 ? milliseconds.toFixed(1) : Math.round(milliseconds)} ms`;
}
