import type { Filter } from "../query/filter.ts";
import type { ObjectQuery, Page } from "../query/object-query.ts";
import type { Visibility } from "../rights/visibility.ts";
import type { ObjectId } from "./object-id.ts";
import type { ObjectRepository } from "./object-repository.ts";
import type { StoredObject } from "./stored-object.ts";

export type MatchingObject = Pick<StoredObject, "id" | "className">;

/** Objects that are in memory at once, however large they are. */
const pageSize = 500;

/** Those among these objects that a query means. */
export async function matchingAmong(
  objects: Pick<ObjectRepository, "find">,
  { classes, filter }: ObjectQuery,
  visibility: Visibility,
  ids: readonly ObjectId[],
): Promise<readonly MatchingObject[]> {
  const path = { hops: [], leaf: "~ObjectID", type: "id" } as const;
  const matching: MatchingObject[] = [];
  for (let start = 0; start < ids.length; start += pageSize) {
    const among: Filter = { kind: "oneOf", path, values: ids.slice(start, start + pageSize) };
    const both: Filter = filter === undefined ? among : { kind: "all", filters: [among, filter] };
    const page = await objects.find({ classes, filter: both }, visibility, { offset: 0, limit: pageSize });
    for (const { id, className } of page.objects) matching.push({ id, className });
  }
  return matching;
}

/** All objects that a query means, or `null` if they are more than `atMost`. By ascending id, whatever the query is sorted by. */
export async function matchingObjects(
  objects: Pick<ObjectRepository, "find">,
  { classes, filter }: ObjectQuery,
  visibility: Visibility,
  atMost: number,
): Promise<readonly MatchingObject[] | null> {
  const query = filter === undefined ? { classes } : { classes, filter };
  const matching: MatchingObject[] = [];
  for (let page: Page | null = { offset: 0, limit: pageSize }; page !== null; ) {
    const { objects: found, last } = await objects.find(query, visibility, page);
    for (const { id, className } of found) matching.push({ id, className });
    if (matching.length > atMost) return null;
    page = last === null || found.length < pageSize ? null : { after: last, limit: pageSize };
  }
  return matching;
}
