import {
  type AttributeDefinition,
  type Attributes,
  type DeletionRepository,
  isVisible,
  type JsonValue,
  linksOf,
  type LinkTarget,
  type ObjectId,
  type Referrer,
  type Restoration,
  ServiceError,
  type StoredObject,
} from "@sallyport/storage";
import { type Model, type ModelClass, targetSubtree } from "../../model/index.ts";
import { plainRule } from "../attributes/plain-value.ts";
import { mayRevealAttribute, type CallerKnowledge, linksWhere } from "./deletion-cascade.ts";

/** All possible link targets of the objects, each once. */
function linkedIds(objects: readonly StoredObject[], model: Model): ObjectId[] {
  const ids = objects.flatMap(({ className, attributes }) =>
    Object.values(linksOf(attributes, model.find(className)?.links ?? [])).flat(),
  );
  return [...new Set(ids)];
}

interface RestoreTarget {
  readonly model: Model;
  readonly modelClass: ModelClass;
  readonly targets: ReadonlyMap<ObjectId, LinkTarget>;
}

/** An attribute value that does not fit the current class. */
interface IncompatibleAttribute {
  readonly attribute: string;
  /** The end of an error message; names the attribute. */
  readonly reason: string;
}

/** The restoration of an object to its current class, without links to permanently deleted objects; an incompatible attribute if the object does not fit. */
function planRestore({ id, attributes }: StoredObject, to: RestoreTarget): Restoration | IncompatibleAttribute {
  const { modelClass } = to;
  const changed = new Map<string, JsonValue>();
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && !modelClass.attributes.has(name))
      return { attribute: name, reason: `the attribute ${name} no longer exists` };
  }
  for (const [name, attribute] of modelClass.attributes) {
    const value = Object.hasOwn(attributes, name) ? (attributes[name] ?? null) : null;
    const next = value === null ? null : restoredValue(attribute, value, to);
    if (next === undefined) return { attribute: name, reason: `the attribute ${name} does not accept its value` };
    if (next === null && attribute.mandatory === true)
      return { attribute: name, reason: `the mandatory attribute ${name} has no value` };
    if (next !== value) changed.set(name, next);
  }
  const now: Attributes = { ...attributes, ...Object.fromEntries(changed) };
  return { id, attributes: Object.fromEntries(changed), links: linksOf(now, modelClass.links) };
}

/** The restored value: unchanged, or without permanently deleted targets; `undefined` if the attribute does not accept it. */
function restoredValue(attribute: AttributeDefinition, value: JsonValue, to: RestoreTarget): JsonValue | undefined {
  const { type } = attribute;
  switch (type) {
    case "reference":
    case "file": {
      const target = targetOf(attribute, value, to);
      return target === undefined || target.exists ? target?.id : null;
    }
    case "collection": {
      if (!Array.isArray(value)) return undefined;
      const targets = value.map((member: JsonValue) => targetOf(attribute, member, to));
      if (targets.includes(undefined)) return undefined;
      return targets.every((target) => target?.exists)
        ? value
        : targets.flatMap((target) => (target?.exists === true ? target.id : []));
    }
    default:
      // A normalized value would differ from the deleted one.
      return plainRule(type).accept(value) === value ? value : undefined;
  }
}

/** The target of a link value; `undefined` if it is unknown, or of a class that the attribute does not accept. */
function targetOf(
  attribute: AttributeDefinition,
  value: JsonValue,
  { model, targets }: RestoreTarget,
): LinkTarget | undefined {
  const target = typeof value === "string" ? targets.get(value) : undefined;
  if (target === undefined || !target.exists) return target;
  return targetSubtree(attribute, model)?.includes(target.className) === false ? undefined : target;
}

interface RestoreContext extends CallerKnowledge {
  readonly deletion: Pick<DeletionRepository, "targets" | "referrers">;
  readonly model: Model;
}

/**
 * Plans the restoration of a group of objects deleted together. 307 if an object does not fit its current class, or if
 * a referring attribute no longer accepts its class. Nothing is dropped or converted.
 */
export async function acceptRestore(
  group: readonly StoredObject[],
  { deletion, model, ...knowledge }: RestoreContext,
): Promise<Restoration[]> {
  const targets = new Map((await deletion.targets(linkedIds(group, model))).map((target) => [target.id, target]));
  const restorations = group.map((object) => {
    const modelClass = model.find(object.className);
    const restoration = modelClass === undefined ? null : planRestore(object, { model, modelClass, targets });
    if (restoration !== null && !("reason" in restoration)) return restoration;
    throw refused(incompatibleDetail(object, restoration, knowledge));
  });
  for (const className of new Set(group.map((object) => object.className))) {
    const attributes = linksWhere(model, (link) => targetSubtree(link, model)?.includes(className) === false);
    const ids = group.filter((object) => object.className === className).map(({ id }) => id);
    const [link] = attributes.length === 0 ? [] : await deletion.referrers(ids, { attributes, limit: 1 });
    if (link !== undefined) throw refused(referrerDetail(link, knowledge));
  }
  return restorations;
}

/** Error message for an incompatible attribute, limited to the caller's knowledge. `null`: the class is gone. */
function incompatibleDetail(
  object: StoredObject,
  incompatible: IncompatibleAttribute | null,
  knowledge: CallerKnowledge,
): string {
  const { className } = object;
  if (!isVisible(object, knowledge.visibility)) return "Another object to restore does not match its class.";
  if (incompatible === null) return `The class ${className} of an object to restore no longer exists.`;
  const { attribute, reason } = incompatible;
  return mayRevealAttribute({ className, attribute }, knowledge)
    ? `An object does not match its class ${className}: ${reason}.`
    : `An object does not match its class ${className}.`;
}

function referrerDetail({ className, attribute }: Referrer, { visibility }: CallerKnowledge): string {
  const by = visibility.principals === null ? `${className}.${attribute}` : "an attribute";
  return `The object is referenced by ${by}, which no longer accepts its class.`;
}

function refused(detail: string): ServiceError {
  return new ServiceError(307, { detail });
}
