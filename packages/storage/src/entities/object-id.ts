/** Whether a text is a valid class name. The lowercase letter distinguishes it from an object id. */
export function isClassName(text: string): boolean {
  return /^(?=.*[a-z])[A-Za-z][A-Za-z0-9_]{0,62}$/.test(text);
}

/** Whether a text is a valid attribute name. */
export function isAttributeName(text: string): boolean {
  return /^[A-Za-z][A-Za-z0-9_]{0,62}$/.test(text);
}

/**
 * `~ObjectID`: a positive integer in base 36, upper case, without leading zeros. Unique in its database. At most ten
 * characters, so every id is a safe integer.
 */
export type ObjectId = string;

/** Whether a text is a canonical object id. */
export function isObjectId(text: string): boolean {
  return /^[1-9A-Z][0-9A-Z]{0,9}$/.test(text);
}

/** The number of an id. Objects are ordered by this number. */
export function objectNumber(id: ObjectId): number {
  return Number.parseInt(id, 36);
}

/** The numbers of the valid ids, each once, in ascending order. */
export function objectNumbers(ids: Iterable<ObjectId>): number[] {
  const numbers = new Set<number>();
  for (const id of ids) if (isObjectId(id)) numbers.add(objectNumber(id));
  return [...numbers].toSorted((one, other) => one - other);
}

export function objectIdOf(number: number): ObjectId {
  return number.toString(36).toUpperCase();
}

/** The target named by the last segment of `/v1/object/…`. */
export type ObjectReference =
  | { readonly kind: "id"; readonly id: ObjectId }
  | { readonly kind: "uuid"; readonly uuid: string }
  | { readonly kind: "class"; readonly className: string };

export type SingleReference = Exclude<ObjectReference, { readonly kind: "class" }>;

/** Parses a reference; `null` if the text is not valid. */
export function objectReference(text: string): ObjectReference | null {
  if (isObjectId(text)) return { kind: "id", id: text };
  if (isUuid(text)) return { kind: "uuid", uuid: text.toLowerCase() };
  return isClassName(text) ? { kind: "class", className: text } : null;
}

const nilUuid = "00000000-0000-0000-0000-000000000000";

/** Whether a text is the UUID of something, in any case. The nil UUID is of nothing. */
export function isUuid(text: string): boolean {
  return text !== nilUuid && /^[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$/.test(text);
}
