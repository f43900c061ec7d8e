import type { ObjectId } from "./object-id.ts";

/**
 * What a caller may see. Computed once per request by the domain, applied by storage wherever objects are read:
 * what is not visible is not there.
 */
export interface Visibility {
  /** Names of the classes whose objects can be seen; `null` means every class. */
  readonly classes: ReadonlySet<string> | null;
  /**
   * Ids of the caller and the caller's groups. An object with a list of readers is seen only if the list names one
   * of them; `null` means that lists do not count.
   */
  readonly principals: ReadonlySet<ObjectId> | null;
}

/** Sees everything; for administrators. */
export const seesAll: Visibility = { classes: null, principals: null };

/** Whether one object is visible. The rule that every adapter applies, in its own language or by this function. */
export function isVisible(
  object: { readonly className: string; readonly readers: readonly ObjectId[] | null },
  { classes, principals }: Visibility,
): boolean {
  if (classes !== null && !classes.has(object.className)) return false;
  return object.readers === null || principals === null || object.readers.some((id) => principals.has(id));
}
