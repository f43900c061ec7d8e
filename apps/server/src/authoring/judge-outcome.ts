import { ServiceError } from "@sallyport/core";
import { firstDifference } from "./first-difference.ts";
import type { MacroTest } from "./test-file.ts";
import type { TrialOutcome } from "./trial.ts";

/** What is not as a test expects it, in words; `null` if all is. */
export function judgeOutcome(
  { expect: { code, data, message, log } }: MacroTest,
  outcome: TrialOutcome,
): string | null {
  const { error, recording } = outcome;
  const found = error === undefined ? 0 : error instanceof ServiceError ? error.code : 799;
  if (found !== (code ?? 0)) {
    const wanted = code === undefined ? "success" : String(code);
    return `expected ${wanted}, found ${found === 0 ? "success" : found}`;
  }
  // As the answer has it.
  const answered = outcome.data ?? {};
  const difference = data === undefined ? null : firstDifference(data, answered);
  if (difference !== null) return difference;
  if (message !== undefined && message !== outcome.message) {
    return `expected the message ${JSON.stringify(message)}, found ${outcome.message === undefined ? "none" : JSON.stringify(outcome.message)}`;
  }
  const lines = recording.lines.map(({ text }) => text);
  const unlogged = log?.find((line) => !lines.includes(line));
  return unlogged === undefined
    ? null
    : `expected the line ${JSON.stringify(unlogged)} in the log, found ${JSON.stringify(lines)}`;
}
