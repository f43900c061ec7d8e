import type { ObjectId } from "../objects/object-id.ts";

/** What a link of a recycled object leads to. */
export interface LinkTarget {
  readonly id: ObjectId;
  readonly className: string;
  /** It is live or recycled; otherwise it was deleted for good. */
  readonly remains: boolean;
}
