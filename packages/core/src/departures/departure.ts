import type { ObjectId } from "../objects/object-id.ts";

/** What is left of an object that is gone. */
export interface Departure {
  readonly id: ObjectId;
  /** Lower case. */
  readonly uuid: string;
  readonly className: string;
  /** One more than the object had. */
  readonly version: number;
  /** By the storage's clock, milliseconds since 1970. */
  readonly departedAt: number;
  /** `recycled`: it can be restored. */
  readonly kind: "recycled" | "deleted";
}

/** An object in the recycle bin that went alone, or took others along. */
export interface RecycledRoot extends Omit<Departure, "kind"> {
  /** Who recycled it; `null` if that is unknown. */
  readonly deletedBy: ObjectId | null;
}
