import type { Filter, Hop } from "@sallyport/core";

/** A filter that asks only for what one reference leads to. */
export interface FilterBehind {
  readonly hop: Hop;
  /** What it asks of the object there. */
  readonly filter: Filter;
}

/**
 * The filter as one on the object that a reference leads to, if all of it is about that: then the reference is followed
 * once. What is true where a reference leads nowhere is no such filter.
 */
export function behindHop(filter: Filter): FilterBehind | null {
  switch (filter.kind) {
    case "all":
    case "any": {
      const parts = filter.filters.map(behindHop);
      const [first] = parts;
      if (
        first === undefined ||
        first === null ||
        !parts.every((part) => part !== null && keyOf(part.hop) === keyOf(first.hop))
      )
        return null;
      return { hop: first.hop, filter: { ...filter, filters: parts.flatMap((part) => part?.filter ?? []) } };
    }
    case "not":
    case "empty":
      return null;
    default: {
      const [hop, ...hops] = filter.path.hops;
      return hop === undefined ? null : { hop, filter: { ...filter, path: { ...filter.path, hops } } };
    }
  }
}

/** The parts of a filter, those together that are about what one reference leads to. */
export function groupedByHop({ kind, filters }: Extract<Filter, { kind: "all" | "any" }>): Filter[] {
  const groups = new Map<string, Filter[]>();
  for (const [index, filter] of filters.entries()) {
    const behind = behindHop(filter);
    const key = behind === null ? `${index}` : keyOf(behind.hop);
    groups.set(key, [...(groups.get(key) ?? []), filter]);
  }
  return Array.from(groups.values(), (group) =>
    group.length === 1 && group[0] !== undefined ? group[0] : { kind, filters: group },
  );
}

function keyOf({ reference, classes }: Hop): string {
  return JSON.stringify([reference, ...classes]);
}
