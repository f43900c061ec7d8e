import { type Filter, seesAll } from "@sallyport/storage";
import { type BrokenAdapter, broken, type Fault } from "../broken-adapter.ts";
import { everything, filtering, finding, judging, valueOf } from "./query-faults.ts";

/** Evaluates filters or sort orders through references with another visibility. */
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

/** Faults in following references and in their visibility. */
export const brokenReferences: readonly BrokenAdapter[] = [
  broken(
    "follows one reference only",
    "follows several references",
    filtering((filter) =>
      "path" in filter
        ? ({ ...filter, path: { ...filter.path, hops: filter.path.hops.slice(0, 1) } } as Filter)
        : filter,
    ),
  ),
  broken(
    "follows references to any class",
    "follows a reference to objects of the given classes only",
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
    "treats a dangling reference as present",
    "treats unresolved references as empty",
    judging((leaf, object) =>
      leaf.kind === "empty" && leaf.path.type === "reference" ? (valueOf(object, leaf) ?? null) === null : undefined,
    ),
  ),
  broken(
    "treats an unresolved path as null",
    "treats values behind unresolved references as missing",
    filtering((filter) =>
      filter.kind === "present" && filter.path.hops.length > 0
        ? { kind: "any", filters: [filter, { kind: "empty", path: filter.path }] }
        : filter,
    ),
  ),
  broken(
    "drops objects with an unresolved path",
    "treats values behind unresolved references as missing",
    filtering((filter) =>
      filter.kind === "empty" && filter.path.hops.length > 0
        ? { kind: "all", filters: [filter, { kind: "present", path: filter.path }] }
        : filter,
    ),
  ),

  broken("filters by invisible values", "follows references to visible objects only", blind("filter")),
  broken(
    "sorts by invisible values",
    ["sorts by visible values only", "returns positions with visible values only"],
    blind("sort"),
  ),
  broken("counts by invisible values", "follows references to visible objects only", () => (r) => ({
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
    "follows references to invisible objects",
    "treats references to invisible objects as empty",
    judging((leaf, object) =>
      leaf.kind === "empty" && leaf.path.type === "reference" ? (valueOf(object, leaf) ?? null) === null : undefined,
    ),
  ),
];
