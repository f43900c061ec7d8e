import type { Departure, ObjectId, StoredObject } from "@sallyport/core";

/** An object that is gone, as of its departure. */
export interface DepartureRecord {
  /** Without attributes if it cannot return. */
  readonly object: Omit<StoredObject, "attributes"> & Partial<Pick<StoredObject, "attributes">>;
  /** The object that it went together with. */
  readonly leader: ObjectId;
  /** Who recycled it; `null` if that is unknown, or if it cannot return. */
  readonly deletedBy: ObjectId | null;
}

export function kindOf({ object }: DepartureRecord): Departure["kind"] {
  return object.attributes === undefined ? "deleted" : "recycled";
}
