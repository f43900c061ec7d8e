import { ServiceError } from "../../errors/service-error.ts";
import { objectReference, type SingleReference } from "../../objects/object-id.ts";
import type { HostArguments } from "./host-arguments.ts";

/** The object that an argument names by its id or UUID; 304 for a text that can name none. */
export function namedObject(given: HostArguments<"id">): SingleReference {
  const reference = objectReference(given.text("id"));
  if (reference === null || reference.kind === "class") throw new ServiceError(304);
  return reference;
}
