import type { AttributeDefinition } from "../../model/class-definition.ts";
import type { ModelClass } from "../../model/model.ts";
import type { ClassPlan, MemberPage, ObjectPlan, PlannedAttribute } from "./object-plan.ts";

/** Where a link leads, and how much of it is written. */
export type LinkTarget = (attribute: AttributeDefinition) => {
  readonly target: ObjectPlan;
  readonly page: MemberPage | null;
};

/** The plan for objects of a class of which these attributes are written. */
export function classPlan(
  modelClass: ModelClass,
  isWritten: (name: string) => boolean,
  targetOf: LinkTarget,
): ClassPlan {
  const written = [...modelClass.attributes.values()].filter(({ name }) => isWritten(name));
  const links = new Set(modelClass.links);
  const attributes = written.map((attribute): PlannedAttribute => {
    const { name, type } = attribute;
    if (!links.has(attribute)) return { name, link: null };
    const { target, page } = targetOf(attribute);
    const isCollection = type === "collection";
    return { name, link: { name, isCollection, target, page: isCollection ? page : null } };
  });
  const isPlain = links.size === 0 && written.length === modelClass.attributes.size;
  return { plain: isPlain ? modelClass : null, attributes, links: attributes.flatMap(({ link }) => link ?? []) };
}
