import type { Attributes, JsonValue } from "@sallyport/core";

/**
 * The text that is stored of attributes: JSON in which values inside of values stand as text. The database's functions
 * give up on JSON that is nested 32 times, and find nothing behind it; and as texts, values are the same when
 * their members are, because members are in the order of their names.
 */
export function attributesText(attributes: Attributes): string {
  return JSON.stringify(fromEntries(Object.entries(attributes).map(([name, value]) => [name, storedValue(value)])));
}

/** The attributes of which a text was stored, from what stands in it. */
export function attributesOf(stored: Attributes): Attributes {
  return fromEntries(
    Object.entries(stored).map(([name, value]) => [name, isRecord(value) ? nestedValue(value) : value]),
  );
}

/** A value as it stands in the text. */
export function storedValue(value: JsonValue): JsonValue {
  return isNested(value) ? { json: JSON.stringify(ordered(value)) } : value;
}

function nestedValue(stored: JsonValue): JsonValue {
  return JSON.parse((stored as { readonly json: string }).json) as JsonValue;
}

/** Whether there is more in it than scalars. */
function isNested(value: JsonValue): boolean {
  return Array.isArray(value)
    ? value.some((element) => typeof element === "object" && element !== null)
    : isRecord(value);
}

function isRecord(value: JsonValue): value is { readonly [name: string]: JsonValue } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function ordered(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((element: JsonValue) => ordered(element));
  if (!isRecord(value)) return value;
  const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return fromEntries(members.map(([name, member]) => [name, ordered(member)]));
}

function fromEntries(entries: readonly (readonly [string, JsonValue])[]): { readonly [name: string]: JsonValue } {
  return Object.fromEntries(entries);
}
