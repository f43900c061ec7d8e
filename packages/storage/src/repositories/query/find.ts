import { objectNumber } from "../../entities/object-id.ts";
import type { ObjectPage, ObjectQuery, Page, Position } from "../../entities/object-query.ts";
import type { StoredObject } from "../../entities/stored-object.ts";
import { isVisible, type Visibility } from "../../entities/visibility.ts";
import type { RowReader } from "../../kernel/rows.ts";
import { objectTable } from "../tables.ts";
import { comparePositions, positionOf } from "./compare.ts";
import { matcher } from "./matches.ts";
import { pathsOf, targetsOf, type View } from "./value-at.ts";
import { type AccessPath, accessPath, isBehind, objectsOf } from "./value-indexes.ts";

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
  const after = "after" in page ? page.after : null;
  const atMost = "after" in page ? page.limit : page.offset + page.limit;
  let matches: Match[] = [];
  const keepFirst = () => {
    matches = matches.toSorted((one, other) => comparePositions(one.position, other.position, sort)).slice(0, atMost);
  };
  for (const className of atMost > 0 ? new Set(query.classes) : []) {
    const path = await accessPath(rows, className, query, after);
    let ofClass: Match[] = [];
    for await (const { object, view } of matchingObjects(rows, className, query, visibility, path, atMost)) {
      // The rest of the class follows all that can be on the page.
      const last = ofClass[atMost - 1];
      const [first] = sort;
      if (
        path?.isSorted &&
        last !== undefined &&
        first !== undefined &&
        isBehind(object, last.object, first.path, path)
      )
        break;
      const position = positionOf(object, sort, view);
      if (after !== null && comparePositions(position, after, sort) <= 0) continue;
      ofClass.push({ object, position });
      // The memory stays within a few pages.
      if (!path?.isSorted && ofClass.length >= 2 * atMost + chunk) {
        matches.push(...ofClass);
        ofClass = [];
        keepFirst();
      }
    }
    matches.push(...ofClass);
    keepFirst();
  }
  const part = "after" in page ? matches : matches.slice(page.offset);
  return { objects: part.map(({ object }) => object), last: part.at(-1)?.position ?? null };
}

interface Match {
  readonly object: StoredObject;
  readonly position: Position;
}

/** The number of matching objects; counting stops at `atMost`. */
export async function countMatches(
  rows: RowReader,
  query: ObjectQuery,
  visibility: Visibility,
  atMost: number,
): Promise<number> {
  let count = 0;
  for (const className of new Set(query.classes)) {
    if (count >= atMost) break;
    const { sort: _sort, ...unsorted } = query;
    const path = await accessPath(rows, className, unsorted, null);
    for await (const _match of matchingObjects(rows, className, unsorted, visibility, path))
      if (++count >= atMost) break;
  }
  return count;
}

/** The matching objects of a class, with what their paths lead to. */
async function* matchingObjects(
  rows: RowReader,
  className: string,
  { filter = { kind: "all", filters: [] }, sort = [] }: ObjectQuery,
  visibility: Visibility,
  path: AccessPath | null,
  atMost = chunk,
): AsyncGenerator<{ readonly object: StoredObject; readonly view: View }> {
  const paths = [...pathsOf(filter), ...sort.map((key) => key.path)];
  // In order, little more is read than the page has.
  const atOnce = path?.isSorted === true ? Math.min(2 * atMost + 1, chunk) : chunk;
  const all = path === null ? objectsOfClass(rows, className) : objectsOf(rows, path, atOnce);
  for await (const some of all) {
    const objects = some.filter((object) => isVisible(object, visibility));
    const view = { targets: await targetsOf(rows, objects, paths, visibility) };
    const matches = matcher(filter, view);
    for (const object of objects) if (matches(object)) yield { object, view };
  }
}

/** The objects of a class, some at a time. */
async function* objectsOfClass(rows: RowReader, className: string): AsyncGenerator<StoredObject[]> {
  let last: StoredObject | undefined;
  do {
    const after = last === undefined ? {} : { after: [objectNumber(last.id)] };
    const page = await rows.list(objectTable, { index: "byClass", of: [className], ...after }, chunk);
    yield page.map(({ object }) => object);
    last = page.length < chunk ? undefined : page.at(-1)?.object;
  } while (last !== undefined);
}
