import {
  type Filter,
  idsOf,
  isLink,
  maxWrittenBytes,
  type ObjectId,
  type ObjectOutline,
  type Repositories,
  ServiceError,
  type StoredObject,
} from "@sallyport/storage";
import type { SessionContext } from "../../request/index.ts";
import type { SchemaView } from "../schema-view.ts";
import type { PutChange } from "./device-change.ts";

/** Visible targets of links, by id. */
export type ShownTargets = ReadonlyMap<ObjectId, ObjectOutline>;

/** The objects of changes in the schema, by UUID. The others are absent: unknown, invisible, deleted or new. */
export async function liveTargets(
  { r }: Pick<SessionContext, "r">,
  view: SchemaView,
  uuids: readonly string[],
  bytes = maxWrittenBytes,
): Promise<ReadonlyMap<string, StoredObject | "outside">> {
  const targets = await r.objects.get({ uuids }, view.visibility, bytes);
  const covered = new Set(view.classes);
  const inside = targets.filter(({ className }) => covered.has(className));
  const matching = await matchingIds(
    r,
    view,
    inside.map(({ id }) => id),
  );
  const outside = inside.filter(({ id }) => !matching.has(id)).map(({ id }) => id);
  // An object that was deleted between the two reads matches no filter either.
  const remaining = outside.length === 0 ? [] : await r.objects.outlines(outside, view.visibility);
  const left = new Set(remaining.map(({ id }) => id));
  return new Map(
    targets.flatMap((object): (readonly [string, StoredObject | "outside"])[] => {
      const { id, uuid, className } = object;
      if (matching.has(id)) return [[uuid, object]];
      return left.has(id) || !covered.has(className) ? [[uuid, "outside"]] : [];
    }),
  );
}

/** The ids of those visible objects of the schema that match its filter. */
export async function matchingIds(
  { objects }: Pick<Repositories, "objects">,
  { filter, classes, visibility }: Pick<SchemaView, "filter" | "classes" | "visibility">,
  ids: readonly ObjectId[],
): Promise<ReadonlySet<ObjectId>> {
  if (filter === null || ids.length === 0) return new Set(ids);
  const among: Filter = { kind: "oneOf", path: { hops: [], leaf: "~ObjectID", type: "id" }, values: ids };
  const query = { classes, filter: { kind: "all", filters: [among, filter] } as const };
  return new Set((await objects.match(query, visibility, ids.length)).map(({ id }) => id));
}

/** Why a UUID has no object in the schema. 334, or `deletedCode` if the caller could read the object before its deletion. */
export async function missingTarget(
  { r }: Pick<SessionContext, "r">,
  { classes, visibility }: SchemaView,
  uuid: string,
  deletedCode: 609 | 610,
): Promise<ServiceError> {
  const tombstone = await r.deletion.find({ kind: "uuid", uuid }, visibility);
  return new ServiceError(tombstone !== null && classes.includes(tombstone.className) ? deletedCode : 334);
}

/** The visible targets of the links that the changes change. */
export async function shownTargets(
  { r }: Pick<SessionContext, "r">,
  { fields: covered, visibility }: SchemaView,
  puts: readonly (readonly [Pick<PutChange, "fields">, StoredObject])[],
): Promise<ShownTargets> {
  const ids = new Set<ObjectId>();
  for (const [{ fields }, { className, attributes }] of puts) {
    for (const { name, type } of covered.get(className)?.values() ?? [])
      if (isLink(type) && Object.hasOwn(fields, name)) for (const id of idsOf(attributes, name)) ids.add(id);
  }
  const outlines = ids.size === 0 ? [] : await r.objects.outlines([...ids], visibility);
  return new Map(outlines.map((outline) => [outline.id, outline]));
}
