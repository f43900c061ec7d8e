import type { Model } from "../model/index.ts";
import type { ObjectId, ObjectOutline, ObjectRepository, Visibility } from "../storage/index.ts";

/** What objects are named by; UUIDs in lower case. */
export interface NamedObjects {
  readonly ids: readonly ObjectId[];
  readonly uuids: readonly string[];
}

/** What those of them are that the caller sees, however large they are. */
export async function namedObjects(
  { ids, uuids }: NamedObjects,
  {
    model,
    objects,
    visibility,
  }: {
    readonly model: Model;
    readonly objects: Pick<ObjectRepository, "match" | "outlines">;
    readonly visibility: Visibility;
  },
): Promise<readonly ObjectOutline[]> {
  const classes = Array.from(model.all(), ({ definition }) => definition.name);
  const filter = { kind: "oneOf", path: { hops: [], leaf: "~UUID", type: "uuid" }, values: uuids } as const;
  const found = await Promise.all([
    ids.length === 0 ? [] : objects.outlines(ids, visibility),
    uuids.length === 0 ? [] : objects.match({ classes, filter }, visibility, uuids.length),
  ]);
  return found.flat();
}
