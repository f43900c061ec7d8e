import type { JsonValue } from "@sallyport/core";

/**
 * Where something is not what was expected: a JSON pointer and both values as text; `null` if it is. Members that are not
 * expected may be there; lists are compared whole.
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
  return JSON.stringify(expected) === JSON.stringify(found) ? null : told(pointer, expected, found);
}

function elementDifference(
  expected: readonly JsonValue[],
  found: readonly JsonValue[],
  index: number,
  pointer: string,
): string | null {
  const element = expected[index];
  return element === undefined
    ? told(pointer, undefined, found[index])
    : firstDifference(element, found[index], pointer);
}

function told(pointer: string, expected: JsonValue | undefined, found: JsonValue | undefined): string {
  return `at ${pointer === "" ? "the top" : pointer}: expected ${shown(expected)}, found ${shown(found)}`;
}

function shown(value: JsonValue | undefined): string {
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

function isRecord(value: JsonValue | undefined): value is { readonly [name: string]: JsonValue } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
