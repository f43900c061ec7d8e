import { isObjectId, type ObjectId, objectNumber } from "../../entities/object-id.ts";
import type { Filter, ValuePath } from "../../entities/object-query.ts";
import { idsOf, type JsonValue, type StoredObject } from "../../entities/stored-object.ts";
import { isVisible, type Visibility } from "../../entities/visibility.ts";
import type { RowReader } from "../../kernel/rows.ts";
import { objectTable } from "../tables.ts";
import { isSingleLink } from "../../entities/class-definition.ts";

/** The live, visible objects that the references of a query lead to. */
export interface View {
  readonly targets: ReadonlyMap<ObjectId, StoredObject>;
}

/** The paths of a filter. */
export function pathsOf(filter: Filter): ValuePath[] {
  switch (filter.kind) {
    case "all":
    case "any":
      return filter.filters.flatMap(pathsOf);
    case "not":
      return pathsOf(filter.filter);
    default:
      return [filter.path];
  }
}

/** Reads the visible targets of all references on the paths of these objects, hop by hop. */
export async function targetsOf(
  rows: RowReader,
  objects: readonly StoredObject[],
  paths: readonly ValuePath[],
  visibility: Visibility,
): Promise<Map<ObjectId, StoredObject>> {
  const targets = new Map<ObjectId, StoredObject>();
  for (const { hops, leaf, type } of paths) {
    const references = [...hops.map(({ reference }) => reference), ...(isSingleLink(type) ? [leaf] : [])];
    let holders: readonly StoredObject[] = objects;
    for (const reference of references) {
      const ids = [...new Set(holders.flatMap(({ attributes }) => idsOf(attributes, reference)).filter(isObjectId))];
      const missing = ids.filter((id) => !targets.has(id)).map((id) => [objectNumber(id)]);
      for (const { object } of await rows.getAll(objectTable, missing))
        if (isVisible(object, visibility)) targets.set(object.id, object);
      holders = ids.flatMap((id) => targets.get(id) ?? []);
    }
  }
  return targets;
}

/** The value at a path of the object; `undefined` if it is missing. */
export function valueAt(object: StoredObject, { hops, leaf, type }: ValuePath, view: View): JsonValue | undefined {
  let holder: StoredObject | undefined = object;
  for (const { reference, classes } of hops) {
    holder = targetOf(attribute(holder, reference), view);
    if (holder === undefined || !classes.includes(holder.className)) return undefined;
  }
  switch (type) {
    case "id":
      return holder.id;
    case "uuid":
      return holder.uuid;
    case "class":
      return holder.className;
    case "time":
      return holder.storedAt;
    default:
      return attribute(holder, leaf);
  }
}

/** The live, visible target of a reference. */
export function targetOf(reference: JsonValue | undefined, { targets }: View): StoredObject | undefined {
  return typeof reference === "string" ? targets.get(reference) : undefined;
}

function attribute({ attributes }: StoredObject, name: string): JsonValue | undefined {
  return Object.hasOwn(attributes, name) ? attributes[name] : undefined;
}
