import type { JsonValue } from "./stored-object.ts";

/**
 * An object as clients see it: its meta-fields `~ClassName`, `~ObjectID`, `~UUID` and `~StoreTime`, then those attributes of its
 * class that were ever set; or less, if less was asked for. Below another object, `~UUID` is there only if it was asked for.
 */
export interface SerializedObject {
  readonly "~ObjectID": string;
  readonly [attribute: string]: JsonValue | SerializedObject | SerializedCollection;
}

/** A list of objects as clients see it. */
export interface SerializedCollection {
  /** Elements that match. */
  readonly "~Count": number;
  /** Elements there are, as far as the caller may see them. */
  readonly "~UnfilteredCount": number;
  readonly "~Elements": readonly SerializedObject[];
}
