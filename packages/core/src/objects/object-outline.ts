import type { StoredObject } from "./stored-object.ts";

/** What can be told of an object without reading its attributes. */
export interface ObjectOutline extends Pick<StoredObject, "id" | "uuid" | "className" | "version" | "storedAt"> {
  /** What its attributes take, as `maximumObjectBytes` counts it. */
  readonly bytes: number;
}
