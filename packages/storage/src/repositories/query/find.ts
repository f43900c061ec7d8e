import { objectNumber } from "../../entities/object-id.ts";
import type { ObjectPage, ObjectQuery, Page } from "../../entities/object-query.ts";
import type { StoredObject } from "../../entities/stored-object.ts";
import { isVisible, type Visibility } from "../../entities/visibility.ts";
import type { RowReader } from "../../kernel/rows.ts";
import { objectTable } from "../tables.ts";
import { comparePositions, positionOf } from "./compare.ts";
import { matcher } from "./matches.ts";
import { pathsOf, targetsOf, type View } from "./value-at.ts";

/** Objects whose references are read at once. */
const chunk = 500;

/** A page of the matching objects, in the order of the query. */
export async function findPage(
  rows: RowReader,
  query: ObjectQuery,
  visibility: Visibility,
  page: Page,
): Promise<ObjectPage & { readonly objects: StoredObject[] }> {
  const sort = query.sort ?? [];
  const wanted = "after" in page ? page.limit : page.offset + page.limit;
  let found: { readonly object: StoredObject; readonly position: ReturnType<typeof positionOf> }[] = [];
  const keepFirst = () => {
    found = found.toSorted((one, other) => comparePositions(one.position, other.position, sort)).slice(0, wanted);
  };
  for await (const { object, view } of matchingObjects(rows, query, visibility)) {
    const position = positionOf(object, sort, view);
    if ("after" in page && comparePositions(position, page.after, sort) <= 0) continue;
    found.push({ object, position });
    // The memory stays within a few pages.
    if (found.length >= 2 * wanted + chunk) keepFirst();
  }
  keepFirst();
  const part = "after" in page ? found : found.slice(page.offset);
  return { objects: part.map(({ object }) => object), last: part.at(-1)?.position ?? null };
}

/** The number of matching objects; counting stops at `atMost`. */
export async function countMatches(
  rows: RowReader,
  query: ObjectQuery,
  visibility: Visibility,
  atMost: number,
): Promise<number> {
  let count = 0;
  if (atMost > 0) for await (const _match of matchingObjects(rows, query, visibility)) if (++count >= atMost) break;
  return count;
}

/** The matching objects of a query in the order of classes and numbers, with what their paths lead to. */
async function* matchingObjects(
  rows: RowReader,
  { classes, filter = { kind: "all", filters: [] }, sort = [] }: ObjectQuery,
  visibility: Visibility,
): AsyncGenerator<{ readonly object: StoredObject; readonly view: View }> {
  const paths = [...pathsOf(filter), ...sort.map(({ path }) => path)];
  for (const className of new Set(classes)) {
    for await (const objects of visibleChunks(rows, className, visibility)) {
      const view = { targets: await targetsOf(rows, objects, paths, visibility) };
      const matches = matcher(filter, view);
      for (const object of objects) if (matches(object)) yield { object, view };
    }
  }
}

/** The visible objects of a class, some at a time. */
async function* visibleChunks(
  rows: RowReader,
  className: string,
  visibility: Visibility,
): AsyncGenerator<StoredObject[]> {
  let last: StoredObject | undefined;
  do {
    const after = last === undefined ? {} : { after: [objectNumber(last.id)] };
    const found = await rows.list(objectTable, { index: "byClass", of: [className], ...after }, chunk);
    yield found.map(({ object }) => object).filter((object) => isVisible(object, visibility));
    last = found.length < chunk ? undefined : found.at(-1)?.object;
  } while (last !== undefined);
}
