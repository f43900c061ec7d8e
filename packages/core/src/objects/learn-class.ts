import type { RequestContext } from "../request/request-context.ts";
import type { StoredObject } from "./stored-object.ts";

/** Remembers of which class an object is, unless it may be one that never comes to be. */
export function learnClass(
  { database, unit }: Pick<RequestContext, "database" | "unit">,
  object: Pick<StoredObject, "id" | "className">,
): void {
  if (!unit.joined) database.classes.learn(object);
}
