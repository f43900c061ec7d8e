import type { Links } from "../objects/links.ts";
import type { ObjectId } from "../objects/object-id.ts";
import type { Attributes } from "../objects/stored-object.ts";

/** How a recycled object comes back. */
export interface Restoration {
  readonly id: ObjectId;
  /** The attributes that are no longer what they were; the others come back as they went. */
  readonly attributes: Attributes;
  /** Of all its references and collections, as they are then. */
  readonly links: Links;
}
