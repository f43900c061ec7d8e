import { type Filter, seesAll } from "@sallyport/core";
import { type BrokenAdapter, broken, type Fault } from "../broken-adapter.ts";
import { everything, filtering, finding, judging, valueOf } from "./query-faults.ts";

/** Lets the filter or the order look through references with other eyes than the caller's. */
function blind(part: "filter" | "sort"): () => Fault {
  return finding((find, r) => async (query, visibility, page) => {
    const { objects } = await find({ classes: query.classes }, visibility, everything);
    const visible: Filter = {
      kind: "oneOf",
      path: { hops: [], leaf: "~ObjectID", type: "id" },
      values: objects.map(({ id }) => id),
    };
    if (part === "filter") {
      const filter: Filter = { kind: "all", filters: [visible, ...(query.filter === undefined ? [] : [query.filter])] };
      return find({ ...query, filter }, seesAll, page);
    }
    const matching = await r.objects.find(
      { classes: query.classes, ...(query.filter === undefined ? {} : { filter: query.filter }) },
      visibility,
      everything,
    );
    return find({ ...query, filter: { ...visible, values: matching.objects.map(({ id }) => id) } }, seesAll, page);
  });
}

/** Faults in how references are followed, and in what is seen through them. */
export const brokenReferences: readonly BrokenAdapter[] = [
  broken(
    "follows one reference only",
    "follow several references",
    filtering((filter) =>
      "path" in filter
        ? ({ ...filter, path: { ...filter.path, hops: filter.path.hops.slice(0, 1) } } as Filter)
        : filter,
    ),
  ),
  broken(
    "follows references to whatever they lead to",
    "follow a reference to objects of its classes only",
    filtering((filter) =>
      "path" in filter
        ? ({
            ...filter,
            path: {
              ...filter.path,
              hops: filter.path.hops.map((hop) => ({ ...hop, classes: ["File", "Image", "User"] })),
            },
          } as Filter)
        : filter,
    ),
  ),
  broken(
    "takes a dangling reference for one",
    "take references that lead nowhere for empty",
    judging((leaf, object) =>
      leaf.kind === "empty" && leaf.path.type === "reference" ? (valueOf(object, leaf) ?? null) === null : undefined,
    ),
  ),
  broken(
    "takes a broken path for null",
    "take for missing what a reference does not lead to",
    filtering((filter) =>
      filter.kind === "present" && filter.path.hops.length > 0
        ? { kind: "any", filters: [filter, { kind: "empty", path: filter.path }] }
        : filter,
    ),
  ),
  broken(
    "loses what has a broken path",
    "take for missing what a reference does not lead to",
    filtering((filter) =>
      filter.kind === "empty" && filter.path.hops.length > 0
        ? { kind: "all", filters: [filter, { kind: "present", path: filter.path }] }
        : filter,
    ),
  ),

  broken("filters by what is not visible", "see through references what is visible, and no more", blind("filter")),
  broken(
    "orders by what is not visible",
    ["order by what is visible, and by nothing else", "tell positions of what is visible, and of nothing else"],
    blind("sort"),
  ),
  broken("counts by what is not visible", "see through references what is visible, and no more", () => (r) => ({
    objects: {
      count: async (query, visibility) => {
        const { objects } = await r.objects.find(query, seesAll, everything);
        return (
          await r.objects.outlines(
            objects.map(({ id }) => id),
            visibility,
          )
        ).length;
      },
    },
  })),
  broken(
    "sees what is behind a reference whatever it is",
    "take references to what is not visible for empty",
    judging((leaf, object) =>
      leaf.kind === "empty" && leaf.path.type === "reference" ? (valueOf(object, leaf) ?? null) === null : undefined,
    ),
  ),
];
