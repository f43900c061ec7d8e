import type { ObjectId } from "../objects/object-id.ts";

/** That an object was written, or is gone. */
export interface Change {
  /** When, in the order of changes: a positive whole number. What one transaction writes has one stamp. */
  readonly stamp: number;
  readonly id: ObjectId;
  /** Lower case. */
  readonly uuid: string;
  readonly className: string;
  /** Of the object as it was written, or of its departure. */
  readonly version: number;
  /** `recycled`: it is gone, and can be restored. */
  readonly kind: "stored" | "recycled" | "deleted";
}
