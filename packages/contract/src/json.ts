import { type ErrorCode, faultAt, jsonPointer, ServiceError } from "@sallyport/core/errors";
import * as z from "zod";

/** Any JSON: a body that is nobody's to judge here. */
export const anyJson = z.unknown().describe("Any JSON.");

/** What JSON from a client may look like, wherever it stands. */
export const jsonLimits = { depth: 32, elements: 10_000, members: 1_000 } as const;

/** Names that could reach an object's prototype. */
const forbiddenNames: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/** Refuses with 307 what is nested too deeply, too long, too wide, or has a forbidden member name. `place` is where the JSON stands. */
export function checkJsonLimits(value: unknown, place: readonly string[] = []): void {
  const fault = faultIn(value, 0);
  if (fault !== undefined) throw faultAt(jsonPointer([...place, ...fault.path]), fault.reason);
}

interface Fault {
  readonly path: readonly string[];
  readonly reason: string;
}

/** The first fault. Where it is is put together on the way back, so that it costs nothing where there is none. */
function faultIn(value: unknown, depth: number): Fault | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (depth === jsonLimits.depth) return { path: [], reason: `Nesting is deeper than ${jsonLimits.depth}.` };
  if (Array.isArray(value)) {
    if (value.length > jsonLimits.elements)
      return { path: [], reason: `There are more than ${jsonLimits.elements} elements.` };
    for (const [index, element] of value.entries()) {
      const fault = faultIn(element, depth + 1);
      if (fault !== undefined) return { ...fault, path: [`${index}`, ...fault.path] };
    }
    return undefined;
  }
  const names = Object.keys(value);
  if (names.length > jsonLimits.members)
    return { path: [], reason: `There are more than ${jsonLimits.members} members.` };
  for (const name of names) {
    if (forbiddenNames.has(name)) return { path: [name], reason: "No member may have this name." };
    const fault = faultIn((value as Record<string, unknown>)[name], depth + 1);
    if (fault !== undefined) return { ...fault, path: [name, ...fault.path] };
  }
  return undefined;
}

/** Parses a parameter or part that carries a JSON object. Not JSON: 308; another value: the code given. */
export function parseJsonParameter(name: string, text: string, notAnObject: ErrorCode): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ServiceError(308, { detail: `at /${name}` });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new ServiceError(notAnObject, { detail: `at /${name}` });
  }
  checkJsonLimits(value, [name]);
  return value as Record<string, unknown>;
}
