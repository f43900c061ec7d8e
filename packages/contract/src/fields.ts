import { type ErrorCode, isErrorCode, jsonPointer, ServiceError } from "@sallyport/storage/errors";
import * as z from "zod";

/**
 * Parses fields by a schema. If several fail, the code that comes first in `order` wins; other codes follow. A failure
 * without a code is 307. The detail contains the JSON pointer of the field.
 */
export function parseFields<T extends z.ZodType>(schema: T, input: unknown, order: readonly ErrorCode[]): z.output<T> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw faultOf(parsed.error.issues, order);
}

function faultOf(issues: readonly z.core.$ZodIssue[], order: readonly ErrorCode[], place: PropertyKey[] = []) {
  const faults = issues.map((issue) => {
    const code = Number(issue.message);
    return { code: isErrorCode(code) ? code : (307 as const), pointer: jsonPointer([...place, ...placeOf(issue)]) };
  });
  const rank = ({ code }: { code: ErrorCode }) => (order.includes(code) ? order.indexOf(code) : order.length);
  const [first] = faults.toSorted((a, b) => rank(a) - rank(b));
  return new ServiceError(first?.code ?? 307, { detail: `at ${first?.pointer ?? "/"}` });
}

/** A value without a fault. */
class Valid<T> {
  constructor(readonly value: T) {}
}

/** A fault, and the value as it was sent. */
class Faulty {
  constructor(
    readonly fault: ServiceError,
    readonly input: unknown,
  ) {}
}

/** A value whose fault is reported later. */
export type Checked<T> = Valid<T> | Faulty;

/** The value of a `Checked`. Throws its fault. */
export function valueOf<T>(checked: Checked<T>): T {
  if ("fault" in checked) throw checked.fault;
  return checked.value;
}

/** A parsed body with the values of its `Checked` parts, as they were sent if they have a fault. */
export function asGiven(body: unknown): unknown {
  if (body instanceof Valid) return asGiven(body.value);
  if (body instanceof Faulty) return body.input;
  if (Array.isArray(body)) return body.map(asGiven);
  if (typeof body !== "object" || body === null || Object.getPrototypeOf(body) !== Object.prototype) return body;
  return Object.fromEntries(Object.entries(body).map(([name, member]) => [name, asGiven(member)]));
}

interface LaterOptions {
  /** Precedence of the codes of its fields. */
  readonly order?: readonly ErrorCode[];
  /** Name in the body, for the detail of the fault. */
  readonly name?: string;
  /** Runs before the schema. Throws a `ServiceError` for a value that the schema does not see. */
  readonly prepare?: (body: unknown) => unknown;
}

/**
 * A schema whose faults fail nothing around it: it parses to a `Checked`. For parts of a body that are refused after checks of
 * the use case, or alone.
 */
export function later<T extends z.ZodType>(schema: T, { order = [], name, prepare = same }: LaterOptions = {}) {
  const prepared = (body: unknown, { addIssue }: Pick<z.core.$RefinementCtx, "addIssue">) => {
    try {
      return prepare(body);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      addIssue({ code: "custom", message: "307" });
      return body;
    }
  };
  // The description is that of the schema.
  const whole = (prepare === same ? schema : z.preprocess(prepared, schema)) as T;
  const place = name === undefined ? [] : [name];
  return whole
    .transform((value): Checked<z.output<T>> => new Valid(value))
    .catch((failed): Checked<z.output<T>> => {
      // Zod describes a schema with the result for `undefined`.
      const { error, input: body } = (failed as typeof failed | undefined) ?? {
        error: { issues: [] },
        input: undefined,
      };
      return new Faulty(refusalOf(prepare, body) ?? faultOf(error.issues, order, place), body);
    });
}

const same = (body: unknown): unknown => body;

function refusalOf(prepare: (body: unknown) => unknown, body: unknown): ServiceError | null {
  try {
    prepare(body);
    return null;
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

/** Path of the invalid value or unknown member. For a union, the path of the alternative that matched deepest. */
function placeOf(issue: z.core.$ZodIssue): PropertyKey[] {
  if (issue.code === "unrecognized_keys") return [...issue.path, ...issue.keys.slice(0, 1)];
  if (issue.code !== "invalid_union") return issue.path;
  const inside = issue.errors.flat().map(placeOf);
  const longestPath = inside.reduce((best, place) => (place.length > best.length ? place : best), []);
  return [...issue.path, ...longestPath];
}

/** Parameters of a Zod check that fails with this code of the catalogue. */
export function refusedWith(code: ErrorCode): { error: () => string } {
  return { error: () => String(code) };
}

/** Boolean query parameter: `true` or `false`. */
export const flag = z
  .enum(["true", "false"])
  .transform((text) => text === "true")
  .pipe(z.boolean());

/** Maximum number of app names per log-in. */
export const maxAppNames = 100;

/** Maximum length in characters of a second-factor token list. */
export const maxTokenLength = 1_024;

/** Device identifier of a log-in. Databases store neither the NUL character nor lone surrogates. */
export const deviceId = z
  .string()
  .max(255)
  .refine((text) => !/\0|\p{Surrogate}/u.test(text))
  .optional()
  .describe(
    "Identifies the device. The number of sessions of one user on one device is limited. Above the limit, a log-in ends the least recently renewed session.",
  );

const entityTag = '(?:W/)?"[\\x21\\x23-\\x7e\\x80-\\xff]*"';
const list = new RegExp(`^[\\t ]*${entityTag}(?:[\\t ]*,[\\t ]*${entityTag})*[\\t ]*$`);
/** A compressed answer has the tag of the version with its coding. */
const version = /(?<!W\/)"([1-9]\d{0,9})(?:-(?:gzip|zstd))?"/g;

/**
 * Versions listed in an `If-Match` header. Returns `null` if the header is absent or `*`. Weak and foreign tags are
 * skipped. A malformed header yields an empty list, which matches nothing.
 */
export function parseIfMatch(header: string | undefined): readonly number[] | null {
  if (header === undefined || /^[\t ]*\*[\t ]*$/.test(header)) return null;
  return list.test(header) ? Array.from(header.matchAll(version), ([, digits]) => Number(digits)) : [];
}

const appName = z.string(refusedWith(208)).refine((text) => text.trim() !== "", refusedWith(208));

/** App names of a request. A string counts as one name. */
export const appNames = z
  .union([appName, z.array(appName).min(1, refusedWith(208)).max(maxAppNames, refusedWith(208))], {
    error: ({ input }) => (input === undefined ? "209" : "208"),
  })
  .transform((names) => (typeof names === "string" ? [names] : names))
  .describe("App names. A string counts as one name.");

/** Tokens of second factors. */
export const secondFactorTokens = z
  .string()
  .max(maxTokenLength)
  .optional()
  .describe(
    "Token or recovery code of the second factor. If several app names require one, separate their tokens with commas. An empty string counts as absent.",
  );
