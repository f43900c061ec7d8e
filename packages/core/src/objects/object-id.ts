/**
 * `~ObjectID`: a positive whole number in base 36, upper case, without leading zeros; unique in its database.
 * At most ten characters, so that every id is a safe integer.
 */
export type ObjectId = string;

const objectId = /^[1-9A-Z][0-9A-Z]{0,9}$/;

/** Whether a text is the canonical form of an id that can exist. */
export function isObjectId(text: string): boolean {
  return objectId.test(text);
}

/** The number behind an id; the order of objects is the order of these numbers. */
export function objectNumber(id: ObjectId): number {
  return Number.parseInt(id, 36);
}

/** The id of a number. */
export function objectIdOf(number: number): ObjectId {
  return number.toString(36).toUpperCase();
}
