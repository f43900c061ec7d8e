import { existsSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { ServiceError } from "@sallyport/storage";
import { MacroFault } from "@sallyport/core";
import { tableLines } from "@sallyport/client/terminal";
import type { RecordedCall } from "./recorded-runtime.ts";
import type { TrialOutcome } from "./trial.ts";

interface TrialReport {
  /** `data` of the response as JSON; `null` on failure. */
  readonly result: string | null;
  /** Human-readable notes. */
  readonly notes: readonly string[];
}

const maxArgumentLength = 60;

/** Formats an outcome for the macro author. `folder`: directory of the sources, or `null`. */
export function trialReport(outcome: TrialOutcome, macro: string, folder: string | null): TrialReport {
  const { data, message, error, recording, milliseconds } = outcome;
  const notes = [
    ...(error === undefined ? [] : failureLines(error, folder)),
    ...(message === undefined ? [] : [`message  ${message}`]),
    ...recording.lines.map(({ macro: from, text }) => `log      ${from === macro ? "" : `${from}: `}${text}`),
    ...callLines(recording.calls).map((line) => `call     ${line}`),
    `time     ${durationText(milliseconds)} in total, ${durationText(recording.cpu)} CPU`,
  ];
  return { result: error === undefined ? JSON.stringify(data ?? {}, null, 2) : null, notes };
}

/** Formats a failed execution: response code and reason. */
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
    const cut = text.length > maxArgumentLength ? `${text.slice(0, maxArgumentLength)}…` : text;
    return [
      `${"  ".repeat(depth)}${name}`,
      durationText(milliseconds),
      error instanceof ServiceError ? `${error.code} ${cut}` : cut,
    ];
  });
  return rows.length === 0 ? [] : tableLines(["", "", ""], rows).slice(1);
}

function durationText(milliseconds: number): string {
  return `${milliseconds < 10 ? milliseconds.toFixed(1) : Math.round(milliseconds)} ms`;
}

const fileEndings = [".ts", ".js", ".mjs"];

/** Formats a macro fault: source file, line, column and an excerpt, as far as they are known. */
export function faultLines({ macro, message, line, column = 1 }: MacroFault, folder: string | null): string[] {
  const file =
    folder === null
      ? undefined
      : fileEndings.map((ending) => join(folder, macro + ending)).find((each) => existsSync(each));
  const name = file === undefined ? macro : relative(process.cwd(), file);
  if (line === undefined) return [`${name}: ${message}`];
  const excerpt = file === undefined ? [] : faultExcerpt(readFileSync(file, "utf8"), line, column);
  return [`${name}:${line}:${column} ${message}`, ...excerpt];
}

/** Lines of an excerpt before and after the fault. */
const contextLines = 2;

/** A line of a text (from 1) with its neighbours and a mark below the column (from 1). */
export function faultExcerpt(text: string, line: number, column: number): string[] {
  const lines = text.split(/\r?\n/);
  const first = Math.max(1, line - contextLines);
  const last = Math.min(lines.length, line + contextLines);
  const width = String(last).length;
  const excerpt: string[] = [];
  for (let number = first; number <= last; number += 1) {
    const source = lines[number - 1] ?? "";
    excerpt.push(`${number === line ? ">" : " "} ${String(number).padStart(width)} | ${source}`.trimEnd());
    // Tabs are kept so that the mark aligns with the column.
    if (number === line)
      excerpt.push(`  ${" ".repeat(width)} | ${source.slice(0, column - 1).replaceAll(/[^\t]/g, " ")}^`);
  }
  return excerpt;
}
