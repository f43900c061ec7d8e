import type { ObjectId } from "./object-id.ts";

/** By attribute, the ids that its value holds; an attribute that points to nothing has none. */
export interface Links {
  readonly [attribute: string]: readonly ObjectId[];
}
