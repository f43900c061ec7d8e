import type { ObjectId } from "../objects/object-id.ts";

/** A live object one of whose attributes points to another object. */
export interface Referrer {
  readonly id: ObjectId;
  readonly className: string;
  /** Name of a reference or a collection. */
  readonly attribute: string;
  readonly target: ObjectId;
}
