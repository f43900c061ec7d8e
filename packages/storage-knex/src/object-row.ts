/** An object as statements give it, see `objectOf`. */
export interface ObjectRow {
  readonly oid: string;
  readonly uuid: string;
  readonly class: string;
  readonly version: number;
  readonly stored_at: string;
  readonly readers: number[] | null;
  readonly attributes: { readonly [name: string]: never };
}

/** The same where a bound holds: the attributes of all rows, or of none, see `objectsWithin`. */
export interface BoundedRow extends Omit<ObjectRow, "attributes"> {
  readonly attributes: ObjectRow["attributes"] | null;
}

/** An outline of an object, see `outlineOf`. */
export interface OutlineRow extends Pick<ObjectRow, "oid" | "uuid" | "class" | "version" | "stored_at"> {
  readonly bytes: number;
}
