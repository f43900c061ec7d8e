import { readFile } from "node:fs/promises";
import { types } from "node:util";
import type { JsonValue } from "@sallyport/core";
import { z } from "zod";
import { TrialError } from "./trial-error.ts";

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
    .refine((expected) => Object.keys(expected).length > 0, { error: "at least one of data, message, code and log" })
    .refine(({ code, data, message }) => code === undefined || (data === undefined && message === undefined), {
      error: "either a code, or data and a message",
    }),
});

/** What a macro is expected to do with an input. */
export type MacroTest = z.output<typeof testSchema>;

/** Reads the tests of a macro. Throws a `TrialError` that names the place of whatever is none. */
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
    ({ path, message }) => `  - at ${path.length === 0 ? "the top" : `/${path.join("/")}`}: ${message}`,
  );
  throw new TrialError(`The tests in ${file} are none:\n${places.join("\n")}`);
}
