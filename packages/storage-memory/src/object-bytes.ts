import { jsonBytes, type StoredObject } from "@sallyport/core";

const measured = new WeakMap<object, number>();

/** What the attributes of an object take. They never change, so that they are measured once. */
export function objectBytes({ attributes }: Pick<StoredObject, "attributes">): number {
  const known = measured.get(attributes);
  if (known !== undefined) return known;
  const bytes = jsonBytes(attributes);
  measured.set(attributes, bytes);
  return bytes;
}
