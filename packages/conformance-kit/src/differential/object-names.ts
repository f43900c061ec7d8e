import type { ObjectId } from "@sallyport/storage";

/** The name of the object with this number, from 0 in order of creation. Each storage assigns its own ids. */
export function nameOf(number: number): string {
  return `#${number}`;
}

/** The object number in a name; `undefined` for other texts. */
export function numberOf(text: string): number | undefined {
  const digits = /^#(\d+)$/.exec(text)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** The name of an object that never existed. */
export const nonexistent = "#none";

/** An id that no storage assigns in a small database. */
export const nonexistentId: ObjectId = "ZZZZZZZZZZ";

/** Replaces names by ids at any depth. The name of an object whose creation failed becomes `nonexistentId`. */
export function withIds<T>(value: T, ids: readonly (ObjectId | null)[]): T {
  const idOf = (text: string) => {
    if (text === nonexistent) return nonexistentId;
    const number = numberOf(text);
    return number === undefined ? text : (ids[number] ?? nonexistentId);
  };
  return withTexts(value, idOf) as T;
}

/** Replaces ids by names at any depth. */
export function withNames<T>(value: T, ids: readonly (ObjectId | null)[]): T {
  const names = new Map(ids.map((id, number) => [id, nameOf(number)]));
  return withTexts(value, (text) => (text === nonexistentId ? nonexistent : (names.get(text) ?? text))) as T;
}

/** Replaces every string in a value; member names remain. */
export function withTexts(value: unknown, replaced: (text: string) => string): unknown {
  if (typeof value === "string") return replaced(value);
  if (Array.isArray(value)) return value.map((each) => withTexts(each, replaced));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withTexts(member, replaced)]));
}

/** The UUID of an object. UUIDs do not ascend with the numbers. */
export function uuidOf(number: number): string {
  return `${(((number + 1) * 2_654_435_761) % 2 ** 32).toString(16).padStart(8, "0")}-0000-4000-8000-${number.toString(16).padStart(12, "0")}`;
}
