import type { ObjectId } from "@sallyport/core";

/** Stands for the object of this number, counted from 0 in the order of creation: its id is the storage's affair. */
export function nameOf(number: number): string {
  return `#${number}`;
}

/** The number of the object that a text stands for. */
export function numberOf(text: string): number | undefined {
  const digits = /^#(\d+)$/.exec(text)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** Stands for an object that never existed. */
export const nonexistent = "#none";

/** An id that no storage of a few objects gives. */
export const nonexistentId: ObjectId = "ZZZZZZZZZZ";

/** The value with ids in the place of names, at whatever depth. An object that could not be created is nobody. */
export function withIds<T>(value: T, ids: readonly (ObjectId | null)[]): T {
  const idOf = (text: string) => {
    if (text === nonexistent) return nonexistentId;
    const number = numberOf(text);
    return number === undefined ? text : (ids[number] ?? nonexistentId);
  };
  return withTexts(value, idOf) as T;
}

/** The value with names in the place of ids. */
export function withNames<T>(value: T, ids: readonly (ObjectId | null)[]): T {
  const names = new Map(ids.map((id, number) => [id, nameOf(number)]));
  return withTexts(value, (text) => (text === nonexistentId ? nonexistent : (names.get(text) ?? text))) as T;
}

/** The value with every text in it replaced; names of members stay. */
export function withTexts(value: unknown, replaced: (text: string) => string): unknown {
  if (typeof value === "string") return replaced(value);
  if (Array.isArray(value)) return value.map((each) => withTexts(each, replaced));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withTexts(member, replaced)]));
}

/** The UUID of an object; they do not ascend with the numbers. */
export function uuidOf(number: number): string {
  return `${(((number + 1) * 2_654_435_761) % 2 ** 32).toString(16).padStart(8, "0")}-0000-4000-8000-${number.toString(16).padStart(12, "0")}`;
}
