import type { ObjectId } from "./object-id.ts";

/**
 * A state that a database had, in the form of its adapter: opaque to the domain. The reads of one request share one, so
 * that an adapter can make all of them in one place.
 */
export type ReadPosition = object;

/** A read that can end before its answer. */
export interface CancellableRead {
  /**
   * Calls `call` when no client waits for the answer any more, at once if none waits. Returns a function to unsubscribe. An
   * adapter can then cancel the read, which fails with any error. A cancellation must hit no other call, even if it comes
   * late. Default: never.
   */
  readonly onCancel?: (call: () => void) => () => void;
}

/**
 * The set of objects that a caller may see. The domain computes it once per request. Storage applies it to every read:
 * invisible objects do not exist for the caller.
 */
export interface Visibility {
  /** Names of the visible classes; `null` for all classes. */
  readonly classes: ReadonlySet<string> | null;
  /**
   * Ids of the caller and the caller's groups. An object with a list of readers is visible only if the list contains
   * one of them; `null` ignores the lists.
   */
  readonly principals: ReadonlySet<ObjectId> | null;
}

/** How a read may be made. */
export interface ReadOptions extends CancellableRead {
  /**
   * The read may show any state from this one on, and no earlier one. An adapter can then make it on a replica. Default:
   * the current state.
   */
  readonly position?: ReadPosition;
}

/** A read of what a caller may see. */
export interface VisibleRead extends Visibility, ReadOptions {}

/** Sees all objects. For administrators. */
export const seesAll: Visibility = { classes: null, principals: null };

/** Whether one object is visible. Adapters apply the same rule in their query language or call this function. */
export function isVisible(
  object: { readonly className: string; readonly readers: readonly ObjectId[] | null },
  { classes, principals }: Visibility,
): boolean {
  if (classes !== null && !classes.has(object.className)) return false;
  return object.readers === null || principals === null || object.readers.some((id) => principals.has(id));
}
