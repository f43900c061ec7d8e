import type { Digest } from "../digests/digest.ts";
import type { ObjectOutline } from "../objects/object-outline.ts";

/** A live object that nobody else can write for now. */
export interface HeldObject {
  readonly object: ObjectOutline;
  /** Digest of the live session that has locked it. */
  readonly lockedBy: Digest | null;
}
