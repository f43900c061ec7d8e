import type { Item } from "./item.ts";

/** The items in their order: reads in a row together, at most so many, and everything else alone. */
export function* inGroups(items: readonly Item[], most: number): Generator<readonly Item[], void, undefined> {
  let group: Item[] = [];
  for (const item of items) {
    const joins = group.length < most && item.isRead && group.every(({ isRead }) => isRead);
    if (group.length > 0 && !joins) {
      yield group;
      group = [];
    }
    group.push(item);
  }
  if (group.length > 0) yield group;
}
