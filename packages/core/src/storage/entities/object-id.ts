/** Whether a text can be the name of a class. At least one lowercase letter tells it from an object id. */
export function isClassName(text: string): boolean {
  return /^(?=.*[a-z])[A-Za-z][A-Za-z0-9_]{0,62}$/.test(text);
}

/** Whether a text can be the name of an attribute. */
export function isAttributeName(text: string): boolean {
  return /^[A-Za-z][A-Za-z0-9_]{0,62}$/.test(text);
}

/**
 * `~ObjectID`: a positive whole number in base 36, upper case, without leading zeros; unique in its database.
 * At most ten characters, so that every id is a safe integer.
 */
export type ObjectId = string;

/** Whether a text is the canonical form of an id that can exist. */
export function isObjectId(text: string): boolean {
  return /^[1-9A-Z][0-9A-Z]{0,9}$/.test(text);
}

/** The number behind an id; the order of objects is the order of these numbers. */
export function objectNumber(id: ObjectId): number {
  return Number.parseInt(id, 36);
}

/** The id of a number. */
export function objectIdOf(number: number): ObjectId {
  return number.toString(36).toUpperCase();
}

/** What the last part of `/v1/object/…` names. */
export type ObjectReference =
  | { readonly kind: "id"; readonly id: ObjectId }
  | { readonly kind: "uuid"; readonly uuid: string }
  | { readonly kind: "class"; readonly className: string };

/** An object by its id or UUID. */
export type SingleReference = Exclude<ObjectReference, { readonly kind: "class" }>;

/** Reads such a name; `null` when it can name nothing. */
export function objectReference(text: string): ObjectReference | null {
  if (isObjectId(text)) return { kind: "id", id: text };
  if (isUuid(text)) return { kind: "uuid", uuid: text.toLowerCase() };
  return isClassName(text) ? { kind: "class", className: text } : null;
}

/** Whether a text has the form of a UUID, in any case. */
export function isUuid(text: string): boolean {
  return /^[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$/.test(text);
}
