import {
  isVisible,
  type ObjectPage,
  type ObjectQuery,
  type Page,
  type StoredObject,
  type Visibility,
} from "@sallyport/storage";
import type { State } from "../state.ts";
import { matcher } from "./matches.ts";
import { comparePositions, positionOf } from "./compare.ts";

/** The matching objects of a query, in any order. */
export function* matchingObjects(
  { objects }: State,
  { classes, filter }: ObjectQuery,
  visibility: Visibility,
): Generator<StoredObject> {
  const wanted = new Set(classes);
  const matches = matcher(filter ?? { kind: "all", filters: [] }, { objects, visibility });
  for (const object of objects.values()) {
    if (wanted.has(object.className) && isVisible(object, visibility) && matches(object)) yield object;
  }
}

/** A page of the matching objects, in the order of the query. */
export function pageOf(
  state: State,
  query: ObjectQuery,
  visibility: Visibility,
  page: Page,
): ObjectPage & { readonly objects: StoredObject[] } {
  const sort = query.sort ?? [];
  const view = { objects: state.objects, visibility };
  const found = Array.from(matchingObjects(state, query, visibility), (object) => ({
    object,
    position: positionOf(object, sort, view),
  }));
  const ordered = found.toSorted((one, other) => comparePositions(one.position, other.position, sort));
  const rest =
    "after" in page
      ? ordered.filter(({ position }) => comparePositions(position, page.after, sort) > 0)
      : ordered.slice(page.offset);
  const part = rest.slice(0, page.limit);
  return { objects: part.map(({ object }) => object), last: part.at(-1)?.position ?? null };
}
