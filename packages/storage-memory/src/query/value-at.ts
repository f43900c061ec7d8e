import {
  isObjectId,
  isVisible,
  type JsonValue,
  objectNumber,
  type StoredObject,
  type ValuePath,
  type Visibility,
} from "@sallyport/storage";
import type { State } from "../state.ts";

/** The data that a query can see. */
export interface View {
  readonly objects: State["objects"];
  readonly visibility: Visibility;
}

/** The value at a path of the object; `undefined` if it is missing. */
export function valueAt(object: StoredObject, { hops, leaf, type }: ValuePath, view: View): JsonValue | undefined {
  let holder: StoredObject | undefined = object;
  for (const { reference, classes } of hops) {
    holder = targetOf(attribute(holder, reference), view);
    if (holder === undefined || !classes.includes(holder.className)) return undefined;
  }
  switch (type) {
    case "id":
      return holder.id;
    case "uuid":
      return holder.uuid;
    case "class":
      return holder.className;
    case "time":
      return holder.storedAt;
    default:
      return attribute(holder, leaf);
  }
}

/** The live, visible target of a reference. */
export function targetOf(reference: JsonValue | undefined, { objects, visibility }: View): StoredObject | undefined {
  if (typeof reference !== "string" || !isObjectId(reference)) return undefined;
  const target = objects.get(objectNumber(reference));
  return target !== undefined && isVisible(target, visibility) ? target : undefined;
}

function attribute({ attributes }: StoredObject, name: string): JsonValue | undefined {
  return Object.hasOwn(attributes, name) ? attributes[name] : undefined;
}
