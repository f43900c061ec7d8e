import { resolve } from "node:path";
import { type ProviderType, providerTypes } from "@sallyport/storage";
import { providerTypeOf } from "@sallyport/core";
import * as z from "zod";

/** Type of a configuration value. */
export interface Kind<Out> {
  /** Name of the type in the reference. */
  readonly type: string;
  /** Its errors state the expected value and never repeat the given one. */
  readonly schema: z.ZodType<Out>;
  /** Converts the text of an environment variable to a file value. Returns the text if it is invalid. */
  readonly fromText: (text: string) => unknown;
  /** Converts the value to its file form. */
  readonly toFile: (value: Out) => unknown;
  /** Resolves a path relative to a directory: that of the file, or the working directory for a variable. */
  readonly inFolder?: (text: string, folder: string) => string;
}

/** Error of an invalid value. A missing required member has its own text. */
function refusal(expected: string): { error: (issue: { readonly input?: unknown }) => string } {
  return { error: ({ input }) => (input === undefined ? `is required: ${expected}` : `must be ${expected}`) };
}

const asIs = <T>(value: T): T => value;

interface TextRule {
  /** Completes the sentence "must be …". */
  readonly expected?: string;
  readonly fits?: (text: string) => boolean;
  readonly type?: string;
  /** Hides what no one else may read. */
  readonly toFile?: (text: string) => string;
}

/** A text, non-empty by default. */
export function text({
  expected = "a non-empty string",
  fits = (value) => value !== "",
  type = "string",
  toFile = asIs,
}: TextRule = {}): Kind<string> {
  const schema = z.string(refusal(expected)).refine(fits, { error: `must be ${expected}` });
  return { type, schema, fromText: asIs, toFile };
}

/** An integer within inclusive bounds. */
export function wholeNumber(from: number, to: number): Kind<number> {
  const expected = `an integer from ${from} to ${to}`;
  const schema = z
    .int(refusal(expected))
    .min(from, { error: `must be ${expected}` })
    .max(to, { error: `must be ${expected}` });
  const fromText = (input: string): unknown => (/^\d+$/.test(input) ? Number(input) : input);
  return { type: `integer ${from}–${to}`, schema, fromText, toFile: asIs };
}

/** An integer within inclusive bounds, or `auto`. */
export function wholeNumberOrAuto(from: number, to: number): Kind<number | "auto"> {
  const expected = `an integer from ${from} to ${to}, or "auto"`;
  const { type, schema: number, fromText } = wholeNumber(from, to);
  const fits = (value: unknown): boolean => value === "auto" || number.safeParse(value).success;
  return {
    type: `${type} | "auto"`,
    schema: z.custom<number | "auto">(fits, refusal(expected)),
    fromText,
    toFile: asIs,
  };
}

const flagWords: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
]);

/** A boolean. */
export function flag(): Kind<boolean> {
  const fromText = (input: string): unknown => flagWords.get(input.toLowerCase()) ?? input;
  return { type: "true | false", schema: z.boolean(refusal("true or false")), fromText, toFile: asIs };
}

/** One of several words. */
export function choice<const Word extends string>(...words: readonly [Word, ...Word[]]): Kind<Word> {
  const quoted = words.map((word) => JSON.stringify(word));
  const expected = `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`;
  return { type: quoted.join(" | "), schema: z.enum(words, refusal(expected)), fromText: asIs, toFile: asIs };
}

const units: ReadonlyMap<string, number> = new Map([
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
  ["ms", 1],
]);

const form = /^(\d{1,9})(ms|s|m|h|d)$/;

/** A duration: an integer with a unit (`500ms`, `15s`, `30m`, `12h`, `7d`). Parsed to milliseconds. */
export function duration(from: string, to: string): Kind<number> {
  const expected = `a duration from "${from}" to "${to}", such as "15s" or "30m"`;
  const [min, max] = [millisecondsOf(from), millisecondsOf(to)];
  const schema = z.string(refusal(expected)).transform((input, context) => {
    const milliseconds = millisecondsOf(input);
    if (milliseconds >= min && milliseconds <= max) return milliseconds;
    context.addIssue({ code: "custom", message: `must be ${expected}` });
    return z.NEVER;
  });
  return { type: `duration ${from}–${to}`, schema, fromText: asIs, toFile: durationText };
}

/** The shortest form of a duration in milliseconds. */
export function durationText(milliseconds: number): string {
  for (const [unit, size] of units) {
    if (milliseconds >= size && milliseconds % size === 0) return `${milliseconds / size}${unit}`;
  }
  return "0s";
}

/** Milliseconds of a duration; `NaN` if it is none. */
export function millisecondsOf(input: string): number {
  const [, count, unit] = form.exec(input) ?? [];
  return Number(count) * (units.get(unit ?? "") ?? Number.NaN);
}

/** A file system path. In the file it is relative to the file, in a variable to the working directory. */
export function path(): Kind<string> {
  const expected = "a path";
  const schema = z.string(refusal(expected)).min(1, { error: `must be ${expected}` });
  return { type: "path", schema, fromText: asIs, toFile: asIs, inFolder: (input, folder) => resolve(folder, input) };
}

/** An identity provider by name or alias, case-insensitive. */
export function providerName(): Kind<ProviderType> {
  const expected = `${providerTypes.slice(0, -1).join(", ")} or ${providerTypes.at(-1)}`;
  const schema = z.string(refusal(expected)).transform((name, context) => {
    const type = providerTypeOf(name);
    if (type !== null) return type;
    context.addIssue({ code: "custom", message: `must be ${expected}` });
    return z.NEVER;
  });
  return { type: providerTypes.join(" | "), schema, fromText: asIs, toFile: asIs };
}

/** A module: a relative or absolute path, or the name of an installed package. */
export function moduleReference(): Kind<string> {
  const expected = "a path that begins with ./, ../ or /, or a package name";
  const schema = z.string(refusal(expected)).min(1, { error: `must be ${expected}` });
  const inFolder = (reference: string, folder: string): string =>
    /^\.\.?\//.test(reference) ? resolve(folder, reference) : reference;
  return { type: "path or package", schema, fromText: asIs, toFile: asIs, inFolder };
}

/** A list of one type. In a variable, commas separate the elements. */
export function listOf<Item>(item: Kind<Item>): Kind<Item[]> {
  return {
    type: `list of ${item.type}s`,
    schema: z.array(item.schema, { error: "must be a list" }),
    fromText: (input) => input.split(",").map((part) => item.fromText(part.trim())),
    toFile: (items) => items.map((each) => item.toFile(each)),
  };
}

/** An object with arbitrary members, validated elsewhere. */
export function jsonObject(): Kind<Readonly<Record<string, unknown>>> {
  const schema = z.record(z.string(), z.unknown(), refusal("an object"));
  return { type: "object", schema, fromText: asIs, toFile: asIs };
}
