import type { AttributeDefinition } from "../class-definition.ts";
import type { GivenAttribute } from "./given-class.ts";

/** The definition without what says nothing: the form in which it is stored. */
export function canonicalAttribute({
  name,
  type,
  target,
  mandatory,
  indexed,
  onDelete,
  read,
}: GivenAttribute): AttributeDefinition {
  return {
    name,
    type,
    ...(target === undefined ? {} : { target }),
    ...(mandatory === true ? { mandatory } : {}),
    ...(indexed === true ? { indexed } : {}),
    ...(onDelete === undefined ? {} : { onDelete }),
    ...(read === undefined ? {} : { read: [...read] }),
  };
}
