import { objectReference, ServiceError, type SingleReference } from "@sallyport/core";

/** The object that a part of the path names by id or UUID; whatever is none of both: 304. */
export function singleReference(text: string): SingleReference {
  const reference = objectReference(text);
  if (reference === null || reference.kind === "class") throw new ServiceError(304);
  return reference;
}
