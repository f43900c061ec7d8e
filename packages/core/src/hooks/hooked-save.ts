import type { ResolvedAttributes } from "../objects/values/resolve-links.ts";
import type { GivenAttributes } from "../objects/values/accept-attributes.ts";
import type { StoredObject } from "../objects/stored-object.ts";

/** A write of an object that hooks have a say in. */
export interface HookedSave {
  readonly className: string;
  /** What stays of it where nothing is written; `null` for a new object. */
  readonly base: StoredObject | null;
  /** Whether it comes back from the recycler. */
  readonly returning: boolean;
  /** What the caller gave, which hooks are told. */
  readonly given: GivenAttributes;
  /** What of that is to be written. */
  readonly prepared: ResolvedAttributes;
}
