import { jsonOf } from "./archive-header.ts";

/** What the line of an object says, and its attributes as they stand in it. */
export interface PartedObject {
  readonly value: object;
  readonly attributes: string;
}

const beforeAttributes = ', "attributes": ';

/**
 * Parts the line of an object where its attributes begin, so that a million of them need not be put together as text again. Both parts have
 * to be JSON by themselves. `undefined` for whatever does not stand as it is written: that takes longer, and may be right all the same.
 */
export function partObject(line: string): PartedObject | undefined {
  const place = line.indexOf(beforeAttributes);
  if (place < 0 || !line.endsWith("}")) return undefined;
  // What ends so is an object, or no JSON.
  const value = jsonOf(`${line.slice(0, place)}}`) as { attributes?: unknown } | undefined;
  if (value === undefined || "attributes" in value) return undefined;
  const attributes = line.slice(place + beforeAttributes.length, -1);
  value.attributes = jsonOf(attributes);
  return value.attributes === undefined ? undefined : { value, attributes };
}
