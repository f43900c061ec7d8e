import { type ErrorCode, faultAt, jsonPointer, ServiceError } from "@sallyport/storage/errors";
import * as z from "zod";

/** Any JSON value. The route validates the body itself. */
export const anyJson = z.unknown().describe("Any JSON value.");

/** Limits of JSON from a client: nesting depth, elements per array, members per object. */
export const jsonLimits = { depth: 32, elements: 10_000, members: 1_000 } as const;

/** Member names that allow prototype pollution. */
const forbiddenNames: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/** Throws 307 if a value exceeds `jsonLimits` or has a forbidden member name. `place` is the path of the value. */
export function checkJsonLimits(value: unknown, place: readonly string[] = []): void {
  const fault = faultIn(value, 0);
  if (fault !== undefined) throw faultAt(jsonPointer([...place, ...fault.path]), fault.reason);
}

/**
 * Like `checkJsonLimits`, for an object some of whose members are values of their own: each counts from its own first
 * level. `checkPart` checks one, by default like a whole body.
 */
export function checkEnvelopeLimits(
  envelope: unknown,
  parts: readonly string[],
  checkPart: (value: unknown, place: readonly string[]) => void = checkJsonLimits,
): void {
  if (typeof envelope !== "object" || envelope === null || Array.isArray(envelope)) return checkJsonLimits(envelope);
  const members = Object.entries(envelope);
  checkJsonLimits(Object.fromEntries(members.filter(([name]) => !parts.includes(name))));
  for (const [name, value] of members) if (parts.includes(name)) checkPart(value, [name]);
}

interface Fault {
  readonly path: readonly string[];
  readonly reason: string;
}

/** Returns the first violation. The path is built during unwinding, so valid input costs nothing extra. */
function faultIn(value: unknown, depth: number): Fault | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (depth === jsonLimits.depth)
    return { path: [], reason: `JSON can be nested at most ${jsonLimits.depth} levels deep.` };
  if (Array.isArray(value)) {
    if (value.length > jsonLimits.elements)
      return { path: [], reason: `An array can have at most ${jsonLimits.elements} elements.` };
    for (const [index, element] of value.entries()) {
      const fault = faultIn(element, depth + 1);
      if (fault !== undefined) return { ...fault, path: [`${index}`, ...fault.path] };
    }
    return undefined;
  }
  const names = Object.keys(value);
  if (names.length > jsonLimits.members)
    return { path: [], reason: `An object can have at most ${jsonLimits.members} members.` };
  for (const name of names) {
    if (forbiddenNames.has(name)) return { path: [name], reason: "This member name is not allowed." };
    const fault = faultIn((value as Record<string, unknown>)[name], depth + 1);
    if (fault !== undefined) return { ...fault, path: [name, ...fault.path] };
  }
  return undefined;
}

/** Parses a parameter or part that contains a JSON object. Invalid JSON: 308. Another JSON type: `notAnObject`. */
export function parseJsonParameter(name: string, text: string, notAnObject: ErrorCode): Record<string, unknown> {
  let value: unknown;
  try {
    value = parseExactJson(text);
  } catch {
    throw new ServiceError(308, { detail: `at /${name}` });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new ServiceError(notAnObject, { detail: `at /${name}` });
  }
  checkJsonLimits(value, [name]);
  return value as Record<string, unknown>;
}

/** An array, an object or a document begins with a number that may have too many digits, an exponent or a sign of zero. */
const suspicious = /(?:^|[:,[])\s*(?:-0|-?[\d.]{16}|-?[\d.]+[eE])/;
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;
/** A client cannot know this name of a member. */
const mark = crypto.randomUUID();

/**
 * Parses JSON; throws a `SyntaxError` as `JSON.parse`. A number that a double would change, such as 9007199254740993,
 * 1e400 or -0, is a `Number` object, so that it differs from the others.
 */
export function parseExactJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!suspicious.test(text)) return value;
  let isExact = true;
  const marked = text.replaceAll(tokens, (token) => {
    if (token.startsWith('"') || isExactNumber(token)) return token;
    isExact = false;
    return `{"${mark}":"${token}"}`;
  });
  return isExact ? value : JSON.parse(marked, boxed);
}

function boxed(_name: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, mark)) return value;
  return Object(Number((value as Readonly<Record<string, string>>)[mark]));
}

/** Whether a double has this decimal value, in its shortest form. */
function isExactNumber(text: string): boolean {
  const value = Number(text);
  const shown = String(value);
  if (shown === text) return true;
  return Number.isFinite(value) && !Object.is(value, -0) && decimalOf(shown) === decimalOf(text);
}

/** The digits of a number without zeros at both ends, and the power of ten behind them. */
function decimalOf(text: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, "");
  const significant = digits.replace(/0+$/, "");
  if (significant === "") return "0";
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}
