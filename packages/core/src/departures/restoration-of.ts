import type { AttributeDefinition } from "../model/class-definition.ts";
import type { Model, ModelClass } from "../model/model.ts";
import { targetFamily } from "../model/target-family.ts";
import { linksOf } from "../objects/links-of.ts";
import type { ObjectId } from "../objects/object-id.ts";
import type { Attributes, JsonValue, StoredObject } from "../objects/stored-object.ts";
import { plainRule } from "../objects/values/plain-value.ts";
import type { LinkTarget } from "./link-target.ts";
import type { Restoration } from "./restoration.ts";

/** Everything that may be a link of the objects, each once. */
export function linkedIds(objects: readonly StoredObject[], model: Model): ObjectId[] {
  const ids = objects.flatMap(({ className, attributes }) =>
    Object.values(linksOf(attributes, model.find(className)?.links ?? [])).flat(),
  );
  return [...new Set(ids)];
}

/** What a recycled object is judged by. */
export interface ReturningTo {
  readonly model: Model;
  readonly modelClass: ModelClass;
  /** What is known of its links. */
  readonly targets: ReadonlyMap<ObjectId, LinkTarget>;
}

/** An attribute by which an object does not fit its class as that is now. */
export interface Misfit {
  readonly attribute: string;
  /** Completes a sentence, and names the attribute. */
  readonly reason: string;
}

/**
 * How an object comes back to its class as that is now: without references to what is gone for good, and otherwise as it went. A misfit
 * when the class has no place for a value of it, or it lacks one.
 */
export function restorationOf({ id, attributes }: StoredObject, to: ReturningTo): Restoration | Misfit {
  const { modelClass } = to;
  const changed = new Map<string, JsonValue>();
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && !modelClass.attributes.has(name))
      return { attribute: name, reason: `there is no attribute ${name} any more` };
  }
  for (const [name, attribute] of modelClass.attributes) {
    const value = Object.hasOwn(attributes, name) ? (attributes[name] ?? null) : null;
    const next = value === null ? null : returning(attribute, value, to);
    if (next === undefined) return { attribute: name, reason: `${name} is not made for the value that it had` };
    if (next === null && attribute.mandatory === true)
      return { attribute: name, reason: `${name} is mandatory, and has no value` };
    if (next !== value) changed.set(name, next);
  }
  const now: Attributes = { ...attributes, ...Object.fromEntries(changed) };
  return { id, attributes: Object.fromEntries(changed), links: linksOf(now, modelClass.links) };
}

/** The value that an attribute comes back with: the same one, unless something of it is gone; `undefined` if it is none of the attribute. */
function returning(attribute: AttributeDefinition, value: JsonValue, to: ReturningTo): JsonValue | undefined {
  const { type } = attribute;
  switch (type) {
    case "reference":
    case "file": {
      const target = targetOf(attribute, value, to);
      return target === undefined || target.remains ? target?.id : null;
    }
    case "collection": {
      if (!Array.isArray(value)) return undefined;
      const targets = value.map((member: JsonValue) => targetOf(attribute, member, to));
      if (targets.includes(undefined)) return undefined;
      return targets.every((target) => target?.remains)
        ? value
        : targets.flatMap((target) => (target?.remains === true ? target.id : []));
    }
    default:
      // Another form of the value would be another value.
      return plainRule(type).accept(value) === value ? value : undefined;
  }
}

/** What a value leads to; `undefined` if it leads nowhere, or to what the attribute is not made for. */
function targetOf(
  attribute: AttributeDefinition,
  value: JsonValue,
  { model, targets }: ReturningTo,
): LinkTarget | undefined {
  const target = typeof value === "string" ? targets.get(value) : undefined;
  if (target === undefined || !target.remains) return target;
  return targetFamily(attribute, model)?.includes(target.className) === false ? undefined : target;
}
