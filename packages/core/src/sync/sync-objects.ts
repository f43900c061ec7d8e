import type { RequestContext } from "../request/index.ts";
import {
  type AttributeDefinition,
  idsOf,
  isLink,
  type JsonValue,
  type ObjectId,
  type StoredObject,
} from "@sallyport/storage";
import type { SchemaView } from "./schema-view.ts";

/** An object as clients synchronize it. Absent fields were never set. */
export interface SyncObject {
  readonly "~ClassName": string;
  readonly "~ObjectID": ObjectId;
  readonly "~UUID": string;
  readonly "~Version": number;
  readonly "~StoreTime": string;
  /** A link is `{"~UUID": …}` or null, a collection an array of these. */
  readonly [field: string]: JsonValue;
}

/** Maximum number of targets of one look-up. */
const batchSize = 10_000;

/**
 * The synchronized form of visible objects of the schema. `fields`: by class, then name. An invisible target is `null` in
 * a reference and absent from a collection.
 */
export async function syncObjects(
  { r, database }: Pick<RequestContext, "r" | "database">,
  { visibility, fields }: Pick<SchemaView, "visibility" | "fields">,
  objects: readonly StoredObject[],
): Promise<SyncObject[]> {
  const uuids = new Map<ObjectId, string>();
  for (const { id, uuid } of objects) uuids.set(id, uuid);
  const missing = new Set<ObjectId>();
  for (const { className, attributes } of objects) {
    for (const { name, type } of fields.get(className)?.values() ?? []) {
      if (!isLink(type)) continue;
      for (const id of idsOf(attributes, name)) {
        if (!uuids.has(id)) missing.add(id);
      }
    }
  }
  const targets = [...missing];
  for (let from = 0; from < targets.length; from += batchSize) {
    const outlines = await r.objects.outlines(targets.slice(from, from + batchSize), visibility);
    for (const { id, uuid } of outlines) uuids.set(id, uuid);
  }
  return objects.map(({ className, id, uuid, version, storedAt, attributes }) => {
    const output: Record<string, JsonValue> = {
      "~ClassName": className,
      "~ObjectID": id,
      "~UUID": uuid,
      "~Version": version,
      "~StoreTime": database.storeTime.format(storedAt),
    };
    // A literal with spreads of head and attributes costs ten times as much.
    for (const { name, type } of fields.get(className)?.values() ?? []) {
      if (!Object.hasOwn(attributes, name)) continue;
      output[name] = isLink(type) ? shownLink(type, idsOf(attributes, name), uuids) : (attributes[name] ?? null);
    }
    return output as SyncObject & typeof output;
  });
}

function shownLink(
  type: AttributeDefinition["type"],
  ids: readonly ObjectId[],
  uuids: ReadonlyMap<ObjectId, string>,
): JsonValue {
  const visible = ids.flatMap((id) => {
    const uuid = uuids.get(id);
    return uuid === undefined ? [] : [{ "~UUID": uuid }];
  });
  return type === "collection" ? visible : (visible[0] ?? null);
}
