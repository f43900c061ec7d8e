import { ServiceError } from "@sallyport/core/errors";

/** What JSON from a client may look like, wherever it stands. */
export const jsonLimits = { depth: 32, elements: 10_000, members: 1_000 } as const;

/** Names that could reach an object's prototype. */
const forbiddenNames: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/** Refuses with 307 what is nested too deeply, too long, too wide, or has a forbidden member name. */
export function checkJsonLimits(value: unknown, depth = 0): void {
  if (typeof value !== "object" || value === null) return;
  if (depth === jsonLimits.depth) throw refusal(`nesting deeper than ${jsonLimits.depth}`);
  if (Array.isArray(value)) {
    if (value.length > jsonLimits.elements) throw refusal(`more than ${jsonLimits.elements} elements`);
    for (const element of value) checkJsonLimits(element, depth + 1);
    return;
  }
  const names = Object.keys(value);
  if (names.length > jsonLimits.members) throw refusal(`more than ${jsonLimits.members} members`);
  for (const name of names) {
    if (forbiddenNames.has(name)) throw refusal(`the member name ${name}`);
    checkJsonLimits((value as Record<string, unknown>)[name], depth + 1);
  }
}

function refusal(detail: string): ServiceError {
  return new ServiceError(307, { detail: `The JSON has ${detail}.` });
}
