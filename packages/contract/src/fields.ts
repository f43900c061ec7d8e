import { type ErrorCode, isErrorCode, jsonPointer, ServiceError } from "@sallyport/core/errors";
import * as z from "zod";

/**
 * Parses fields by a schema. Of several faults the one whose code comes first in `order` is answered, others after
 * them; a fault without a code of its own is 307. The detail names the place as a JSON pointer.
 */
export function parseFields<T extends z.ZodType>(schema: T, input: unknown, order: readonly ErrorCode[]): z.output<T> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => {
    const code = Number(issue.message);
    return { code: isErrorCode(code) ? code : (307 as const), pointer: jsonPointer(placeOf(issue)) };
  });
  const rank = ({ code }: { code: ErrorCode }) => (order.includes(code) ? order.indexOf(code) : order.length);
  const [first] = faults.toSorted((a, b) => rank(a) - rank(b));
  throw new ServiceError(first?.code ?? 307, { detail: `at ${first?.pointer ?? "/"}` });
}

/** The faulty value or the member that is one too many. Of alternatives the one that fits furthest was meant. */
function placeOf(issue: z.core.$ZodIssue): PropertyKey[] {
  if (issue.code === "unrecognized_keys") return [...issue.path, ...issue.keys.slice(0, 1)];
  if (issue.code !== "invalid_union") return issue.path;
  const inside = issue.errors.flat().map(placeOf);
  const furthest = inside.reduce((best, place) => (place.length > best.length ? place : best), []);
  return [...issue.path, ...furthest];
}

/** Parameters of a zod check whose failure is answered with this code of the catalogue. */
export function refusedWith(code: ErrorCode): { error: () => string } {
  return { error: () => String(code) };
}

/** Yes or no in a query string. */
export const flag = z
  .enum(["true", "false"])
  .transform((text) => text === "true")
  .pipe(z.boolean());

/** App names of one log-in. */
export const mostAppNames = 100;

/** Characters; no list of tokens of second factors is longer. */
export const longestToken = 1_024;

/** Names the device of a log-in. Databases keep neither the zero character nor half of a surrogate pair. */
export const deviceId = z
  .string()
  .max(255)
  .refine((text) => !/\0|\p{Surrogate}/u.test(text))
  .optional()
  .describe(
    "Sessions of one user on one device are limited: beyond that a log-in ends the least recently renewed one.",
  );

const entityTag = '(?:W/)?"[\\x21\\x23-\\x7e\\x80-\\xff]*"';
const list = new RegExp(`^[\\t ]*${entityTag}(?:[\\t ]*,[\\t ]*${entityTag})*[\\t ]*$`);
const version = /(?<!W\/)"([1-9]\d{0,9})"/g;

/**
 * The versions that a header `If-Match` names; `null` when any will do, because there is no such header or it is `*`. Tags
 * that are weak or none of ours name no version, and a header that is malformed names none at all: nothing matches.
 */
export function parseIfMatch(header: string | undefined): readonly number[] | null {
  if (header === undefined || /^[\t ]*\*[\t ]*$/.test(header)) return null;
  return list.test(header) ? Array.from(header.matchAll(version), ([, digits]) => Number(digits)) : [];
}
