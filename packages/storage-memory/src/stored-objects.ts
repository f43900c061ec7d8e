import {
  AnswerTooLargeError,
  jsonBytes,
  objectNumber,
  type ObjectOutline,
  type StoredObject,
} from "@sallyport/storage";
import { type State, writeStamp } from "./state.ts";

/** Stores an object and stamps it. */
export function keepObject(state: State, object: StoredObject): void {
  const number = objectNumber(object.id);
  state.objects.set(number, object);
  state.stamps.set(number, writeStamp(state));
}

const measured = new WeakMap<object, number>();

/** The size of an object's attributes, cached because attributes are immutable. */
export function objectBytes({ attributes }: Pick<StoredObject, "attributes">): number {
  const known = measured.get(attributes);
  if (known !== undefined) return known;
  const bytes = jsonBytes(attributes);
  measured.set(attributes, bytes);
  return bytes;
}

export function outlineOf(object: StoredObject): ObjectOutline {
  const { id, uuid, className, version, storedAt } = object;
  return { id, uuid, className, version, storedAt, bytes: objectBytes(object) };
}

/** Returns the objects. Throws `AnswerTooLargeError` if they exceed this many bytes in total. */
export function withinBytes(objects: StoredObject[], bytes: number): StoredObject[] {
  const total = objects.reduce((sum, object) => sum + objectBytes(object), 0);
  if (total > bytes) throw new AnswerTooLargeError();
  return objects;
}
