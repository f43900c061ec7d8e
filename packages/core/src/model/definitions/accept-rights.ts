import { objectReference } from "../../objects/object-reference.ts";
import type { ObjectId } from "../../objects/object-id.ts";
import type { ObjectRepository } from "../../objects/object-repository.ts";
import { seesAll } from "../../rights/visibility.ts";
import { type ClassRight, permissions } from "../class-definition.ts";
import type { Model } from "../model.ts";
import { definitionFault } from "./definition-fault.ts";
import { definitionLimits } from "./definition-limits.ts";
import type { GivenRight } from "./given-class.ts";

/**
 * Checks the rights of a class, and gives the form in which they are stored. A group that the class names already may have
 * gone meanwhile.
 */
export async function acceptRights(
  given: readonly GivenRight[],
  known: readonly ClassRight[],
  model: Model,
  objects: Pick<ObjectRepository, "get" | "getByUuid">,
): Promise<ClassRight[]> {
  if (given.length > definitionLimits.rights) throw definitionFault("/rights", `more than ${definitionLimits.rights} groups have rights.`);
  const live = await objects.get(given.map(({ group }) => group), seesAll);
  const groups = new Map(live.map((object) => [object.id, object]));
  const accepted = new Map<ObjectId | "*", ClassRight>();
  for (const [index, { group, permissions: asked }] of given.entries()) {
    const pointer = `/rights/${index}`;
    const reference = objectReference(group);
    const object = reference?.kind === "uuid" ? await objects.getByUuid(reference.uuid, seesAll) : groups.get(group);
    const id = object?.id ?? group;
    const isGroup = object != null && model.find("UserGroup")?.family.includes(object.className) === true;
    if (!isGroup && id !== "*" && !known.some((right) => right.group === id)) throw definitionFault(`${pointer}/group`, "there is no such group.");
    if (accepted.has(id)) throw definitionFault(`${pointer}/group`, "the group stands there twice.");
    accepted.set(id, { group: id, permissions: permissions.filter((permission) => asked.includes(permission)) });
  }
  return [...accepted.values()];
}
