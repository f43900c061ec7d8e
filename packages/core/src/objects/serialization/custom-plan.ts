import type { AttributeDefinition } from "../../model/class-definition.ts";
import type { Model, ModelClass } from "../../model/model.ts";
import { readableTargets, type Visibility } from "../../rights/index.ts";
import { classPlan } from "./class-plan.ts";
import { faultAt } from "../../errors/fault-at.ts";
import { fullPlan } from "./full-plan.ts";
import { metaFieldsOnly, type ObjectPlan } from "./object-plan.ts";
import type { RequestedField, RequestedFields } from "./requested-field.ts";

export interface CustomPlanParts {
  readonly model: Model;
  readonly visibility: Visibility;
  /** How far links are followed that no fields are named of, counted from the roots. */
  readonly depth: number;
}

/** The one meta-field that can be named: the others are always there. */
const uuid = "~UUID";

/**
 * Writes these fields of objects of these classes, which are all that can stand there and that the caller may read.
 * A name that none of them has: 307. `level`: steps from the roots.
 */
export function customPlan(
  fields: RequestedFields,
  classes: readonly ModelClass[],
  parts: CustomPlanParts,
  level = 0,
): ObjectPlan {
  // Of classes that the caller may not read nothing is told, not even which names are right; and nothing of them is written.
  if (classes.length === 0) return metaFieldsOnly;
  const targets = new Map<string, ObjectPlan>();
  for (const [name, field] of fields) {
    const links = classes.flatMap((each) => each.links.filter((link) => link.name === name));
    checkUse(field, links, name === uuid || classes.some(({ attributes }) => attributes.has(name)));
    targets.set(name, targetPlan(field, links, parts, level + 1));
  }
  const targetOf = ({ name }: AttributeDefinition) => {
    return { target: targets.get(name) ?? metaFieldsOnly, page: fields.get(name)?.page ?? null };
  };
  const plans = new Map(
    classes.map((each) => [each.definition.name, classPlan(each, (name) => fields.has(name), targetOf)]),
  );
  return {
    metaFields: true,
    uuid: fields.has(uuid),
    attributes: true,
    extensible: true,
    of: (className) => plans.get(className),
  };
}

/** Refuses a name that is not there, and what cannot be asked of such an attribute. */
function checkUse(
  { pointer, below, page }: RequestedField,
  links: readonly AttributeDefinition[],
  exists: boolean,
): void {
  if (!exists) throw faultAt(pointer, "There is no such attribute.");
  if (below !== null && links.length === 0) throw faultAt(pointer, "The attribute leads to no other object.");
  if (page !== null && !links.some(({ type }) => type === "collection"))
    throw faultAt(pointer, "Only a collection has pages.");
}

function targetPlan(
  { below }: RequestedField,
  links: readonly AttributeDefinition[],
  parts: CustomPlanParts,
  level: number,
): ObjectPlan {
  const { model, visibility, depth } = parts;
  if (below === null) return fullPlan(model, depth - level);
  const classes = new Set(links.flatMap((link) => readableTargets(link, model, visibility)));
  return customPlan(below, [...classes], parts, level);
}
