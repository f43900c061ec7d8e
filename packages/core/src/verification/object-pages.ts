import { type Filter, type ObjectQuery, type Repositories, seesAll, type StoredObject } from "@sallyport/storage";

const idPath = { hops: [], leaf: "~ObjectID", type: "id" } as const;

/** All objects. Unlike a query without a filter, one with it reads the objects themselves. */
export const anyObject: Filter = { kind: "compare", path: idPath, operator: "gte", value: "0" };

/** Objects of one size at most: a page has some megabytes, unless they are large. */
const pageSize = 100;

/** The live objects of these classes by id, page by page. Each page is as of its time. */
export async function* objectPages(
  { objects }: Pick<Repositories, "objects">,
  classes: readonly string[],
): AsyncGenerator<readonly StoredObject[], void, undefined> {
  const query: ObjectQuery = { classes, filter: anyObject, sort: [{ path: idPath, descending: false }] };
  for (let after: StoredObject["id"] | null = null; ; ) {
    const page = after === null ? { offset: 0 } : { after: { values: [after], id: after } };
    const result = await objects.find(query, seesAll, { ...page, limit: pageSize }, Number.MAX_SAFE_INTEGER);
    if (result.objects.length > 0) yield result.objects;
    if (result.objects.length < pageSize) return;
    after = result.objects.at(-1)?.id ?? null;
  }
}

/** The object of this id, if it is live. */
export async function liveObject(
  { objects }: Pick<Repositories, "objects">,
  id: StoredObject["id"],
): Promise<StoredObject | undefined> {
  return (await objects.get([id], seesAll))[0];
}
