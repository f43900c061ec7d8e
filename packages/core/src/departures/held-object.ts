import type { Digest } from "../digests/digest.ts";
import type { StoredObject } from "../objects/stored-object.ts";

/** A live object that nobody else can write for now. */
export interface HeldObject {
  readonly object: StoredObject;
  /** Digest of the live session that has locked it. */
  readonly lockedBy: Digest | null;
}
