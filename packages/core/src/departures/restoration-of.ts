import type { AttributeDefinition } from "../model/class-definition.ts";
import type { Model } from "../model/model.ts";
import { idsOf, linksOf } from "../objects/links-of.ts";
import type { ObjectId } from "../objects/object-id.ts";
import type { Attributes, JsonValue, StoredObject } from "../objects/stored-object.ts";
import { plainRule } from "../objects/values/plain-value.ts";
import type { Restoration } from "./restoration.ts";

/** Everything that the objects point to, each once. */
export function linkedIds(objects: readonly StoredObject[], model: Model): ObjectId[] {
  const ids = objects.flatMap(({ className, attributes }) => Object.values(linksOf(attributes, model.find(className)?.links ?? [])).flat());
  return [...new Set(ids)];
}

/**
 * How an object comes back under the model of now: without references to what is gone for good, and without values that are no longer
 * of the type of their attribute.
 */
export function restorationOf({ id, className, attributes }: StoredObject, { model, remaining }: { readonly model: Model; readonly remaining: ReadonlySet<ObjectId> }): Restoration {
  const modelClass = model.find(className);
  const changed = new Map<string, JsonValue>();
  for (const [name, attribute] of modelClass?.attributes ?? []) {
    const value = Object.hasOwn(attributes, name) ? (attributes[name] ?? null) : null;
    const next = value === null ? null : returning(attribute, value, remaining);
    if (next !== value) changed.set(name, next);
  }
  // Under the name of an attribute that is gone there may be another one some day.
  for (const name of Object.keys(attributes)) if (modelClass?.attributes.has(name) === false && attributes[name] !== null) changed.set(name, null);
  const now: Attributes = { ...attributes, ...Object.fromEntries(changed) };
  return { id, attributes: Object.fromEntries(changed), links: linksOf(now, modelClass?.links ?? []) };
}

/** The value that an attribute comes back with: the same one, unless something of it is gone. */
function returning({ name, type }: AttributeDefinition, value: JsonValue, remaining: ReadonlySet<ObjectId>): JsonValue {
  const ids = idsOf({ [name]: value }, name);
  switch (type) {
    case "reference":
    case "file":
      return typeof value === "string" && remaining.has(value) ? value : null;
    case "collection":
      if (!Array.isArray(value)) return null;
      return ids.length === value.length && ids.every((id) => remaining.has(id)) ? value : ids.filter((id) => remaining.has(id));
    default:
      return plainRule(type).accept(value) === undefined ? null : value;
  }
}
