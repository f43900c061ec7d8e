import { ServiceError } from "../errors/service-error.ts";
import { acceptStorable } from "../storage/storable-text.ts";
import type { ObjectChange } from "./object-change.ts";

/** What every adapter asks of changes before it looks at the objects: storable texts, else 307, and each object once, else 799. */
export function acceptChanges(changes: readonly ObjectChange[]): void {
  for (const { attributes } of changes) acceptStorable(attributes);
  if (new Set(changes.map(({ id }) => id)).size < changes.length)
    throw new ServiceError(799, { detail: "An object is changed twice at once." });
}
