import type { Digest } from "../digests/digest.ts";
import type { Visibility } from "../rights/visibility.ts";
import type { Links } from "./links.ts";
import type { ObjectId } from "./object-id.ts";
import type { Attributes } from "./stored-object.ts";

/** What is to become of one object. */
export interface ObjectChange {
  readonly id: ObjectId;
  /** The attributes to set; the others stay. */
  readonly attributes: Attributes;
  /** The links of those among them that are references or collections; `[]` for one that points to nothing. */
  readonly links: Links;
  /** Who alone may see the object from now on, `null` for all whom its class lets; as it is unless given. */
  readonly readers?: readonly ObjectId[] | null;
  /** Versions that the object may have; `null` for any. */
  readonly expectedVersions: readonly number[] | null;
}

/** On whose behalf objects are written. */
export interface Writing {
  /** Locks of other sessions refuse; with `null`, those of any session. */
  readonly session: Digest | null;
  /** Generation of the model that the write was prepared under; it is refused when another is current. Not asked unless given. */
  readonly modelGeneration?: number;
  /** The class that the objects have to be of; those of another one are refused like those that are not visible. */
  readonly className?: string;
  /**
   * What the writer sees: objects that are not visible are refused as if they had never been there, or were gone, and members of
   * collections that are not visible stay. All are visible unless given.
   */
  readonly visibility?: Visibility;
}
