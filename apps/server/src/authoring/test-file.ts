import { readFile } from "node:fs/promises";
import { types } from "node:util";
import { type JsonValue, ServiceError } from "@sallyport/storage";
import * as z from "zod";
import { TrialError, type TrialOutcome } from "./trial.ts";

const json: z.ZodType<JsonValue> = z.json() as z.ZodType<JsonValue>;

const testSchema = z.strictObject({
  title: z.string().min(1),
  as: z.string().min(1),
  apps: z.array(z.string()).optional(),
  input: json.optional(),
  skipChecker: z.boolean().default(false),
  expect: z
    .strictObject({
      data: json.optional(),
      message: z.string().optional(),
      code: z.int().optional(),
      log: z.array(z.string()).optional(),
    })
    .refine((expected) => Object.keys(expected).length > 0, {
      error: "at least one of data, message, code and log is required",
    })
    .refine(({ code, data, message }) => code === undefined || (data === undefined && message === undefined), {
      error: "code cannot be combined with data or message",
    }),
});

/** Expected result of a macro for an input. */
export type MacroTest = z.output<typeof testSchema>;

/** Reads the tests of a macro. Throws a `TrialError` with the places of invalid tests. */
export async function readTests(file: string): Promise<readonly MacroTest[]> {
  let content: unknown;
  try {
    content = JSON.parse(await readFile(file, "utf8"));
  } catch (error) {
    throw new TrialError(
      `The tests in ${file} cannot be read: ${types.isNativeError(error) ? error.message : "unknown"}.`,
    );
  }
  const read = z.array(testSchema).min(1).safeParse(content);
  if (read.success) return read.data;
  const places = read.error.issues.map(
    ({ path, message }) => `  - at ${path.length === 0 ? "the root" : `/${path.join("/")}`}: ${message}`,
  );
  throw new TrialError(`The test file ${file} is invalid:\n${places.join("\n")}`);
}

/** Describes the first deviation from the test; `null` if there is none. */
export function judgeOutcome(
  { expect: { code, data, message, log } }: MacroTest,
  outcome: TrialOutcome,
): string | null {
  const { error, recording } = outcome;
  const found = error === undefined ? 0 : error instanceof ServiceError ? error.code : 799;
  if (found !== (code ?? 0)) {
    const outcomeText = code === undefined ? "success" : String(code);
    return `expected ${outcomeText}, found ${found === 0 ? "success" : found}`;
  }
  // A macro without a result is answered with `{}`.
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

/**
 * The first difference as JSON pointer and both values; `null` if there is none. Unexpected members are ignored. Arrays
 * must have equal length.
 */
export function firstDifference(expected: JsonValue, found: JsonValue | undefined, pointer = ""): string | null {
  if (Array.isArray(expected) && Array.isArray(found)) {
    const longest = Math.max(expected.length, found.length);
    for (let index = 0; index < longest; index += 1) {
      const difference = elementDifference(expected, found, index, `${pointer}/${index}`);
      if (difference !== null) return difference;
    }
    return null;
  }
  if (isRecord(expected) && isRecord(found)) {
    for (const [name, value] of Object.entries(expected)) {
      const difference = firstDifference(
        value,
        Object.hasOwn(found, name) ? found[name] : undefined,
        `${pointer}/${name}`,
      );
      if (difference !== null) return difference;
    }
    return null;
  }
  return JSON.stringify(expected) === JSON.stringify(found) ? null : describeDifference(pointer, expected, found);
}

function elementDifference(
  expected: readonly JsonValue[],
  found: readonly JsonValue[],
  index: number,
  pointer: string,
): string | null {
  const element = expected[index];
  return element === undefined
    ? describeDifference(pointer, undefined, found[index])
    : firstDifference(element, found[index], pointer);
}

function describeDifference(pointer: string, expected: JsonValue | undefined, found: JsonValue | undefined): string {
  return `at ${pointer === "" ? "the root" : pointer}: expected ${shown(expected)}, found ${shown(found)}`;
}

function shown(value: JsonValue | undefined): string {
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

function isRecord(value: JsonValue | undefined): value is { readonly [name: string]: JsonValue } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
