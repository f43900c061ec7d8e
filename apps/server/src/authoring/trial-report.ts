import { existsSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { MacroFault, ServiceError } from "@sallyport/core";
import { tableLines } from "../commands/table-lines.ts";
import type { RecordedCall } from "./recorded-runtime.ts";
import type { TrialOutcome } from "./trial.ts";

interface TrialReport {
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

const endings = [".ts", ".js", ".mjs"];

/** What a macro failed of: its file in the folder, the line and column if they are known, and the lines around. */
export function faultLines({ macro, message, line, column = 1 }: MacroFault, folder: string | null): string[] {
  const file =
    folder === null
      ? undefined
      : endings.map((ending) => join(folder, macro + ending)).find((each) => existsSync(each));
  const name = file === undefined ? macro : relative(process.cwd(), file);
  if (line === undefined) return [`${name}: ${message}`];
  const excerpt = file === undefined ? [] : faultExcerpt(readFileSync(file, "utf8"), line, column);
  return [`${name}:${line}:${column} ${message}`, ...excerpt];
}

const around = 2;

/** A line of a text, counted from 1, with those around it and a mark below the column. */
export function faultExcerpt(text: string, line: number, column: number): string[] {
  const lines = text.split(/\r?\n/);
  const first = Math.max(1, line - around);
  const last = Math.min(lines.length, line + around);
  const width = String(last).length;
  const excerpt: string[] = [];
  for (let number = first; number <= last; number += 1) {
    const source = lines[number - 1] ?? "";
    excerpt.push(`${number === line ? ">" : " "} ${String(number).padStart(width)} | ${source}`.trimEnd());
    // What stands before the mark is copied where it is a tab, so that both move alike.
    if (number === line)
      excerpt.push(`  ${" ".repeat(width)} | ${source.slice(0, column - 1).replaceAll(/[^\t]/g, " ")}^`);
  }
  return excerpt;
}
