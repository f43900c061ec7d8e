import { type BrokenAdapter, broken } from "../broken-adapter.ts";
import { byUnits, filtering, judging, valueOf } from "./query-faults.ts";

/** Faults in how values are compared, and texts searched. */
export const brokenComparisons: readonly BrokenAdapter[] = [
  broken(
    "compares texts in any case",
    "tell texts apart",
    judging((leaf, object) => {
      const value = valueOf(object, leaf);
      if (leaf.kind !== "oneOf" || typeof value !== "string")
        return leaf.kind === "oneOf" && leaf.path.type === "string" ? false : undefined;
      return leaf.values.some((each) => String(each).toLowerCase() === value.toLowerCase());
    }),
  ),
  broken(
    "composes texts before it compares them",
    "tell texts apart",
    judging((leaf, object) => {
      const value = valueOf(object, leaf);
      if (leaf.kind !== "oneOf" || leaf.path.type !== "string") return undefined;
      return typeof value === "string" && leaf.values.some((each) => String(each).normalize() === value.normalize());
    }),
  ),
  broken(
    "compares the start of long texts",
    ["tell long texts apart"],
    judging((leaf, object) => {
      const value = valueOf(object, leaf);
      if (leaf.kind !== "oneOf" || leaf.path.type !== "string") return undefined;
      return (
        typeof value === "string" && leaf.values.some((each) => String(each).slice(0, 600) === value.slice(0, 600))
      );
    }),
  ),
  broken(
    "compares texts as a dictionary does",
    "compare texts by code points",
    judging((leaf, object) => {
      const value = valueOf(object, leaf);
      if (leaf.kind !== "compare" || leaf.path.type !== "string") return undefined;
      const order = typeof value === "string" ? value.localeCompare(String(leaf.value), "en") : Number.NaN;
      return { gt: order > 0, gte: order >= 0, lt: order < 0, lte: order <= 0 }[leaf.operator];
    }),
  ),
  broken(
    "compares texts by the units of UTF-16",
    "compare texts by code points",
    judging((leaf, object) => {
      const value = valueOf(object, leaf);
      if (leaf.kind !== "compare" || leaf.path.type !== "string") return undefined;
      const order = typeof value === "string" ? byUnits(value, leaf.value) : Number.NaN;
      return { gt: order > 0, gte: order >= 0, lt: order < 0, lte: order <= 0 }[leaf.operator];
    }),
  ),
  broken(
    "compares numbers as texts",
    "compare numbers",
    judging((leaf, object) => {
      const value = valueOf(object, leaf);
      if (leaf.kind !== "compare" || leaf.path.type !== "number") return undefined;
      const order = typeof value === "number" ? byUnits(String(value), String(leaf.value)) : Number.NaN;
      return { gt: order > 0, gte: order >= 0, lt: order < 0, lte: order <= 0 }[leaf.operator];
    }),
  ),
  broken(
    "includes the bound",
    "compare numbers",
    filtering((filter) =>
      filter.kind === "compare" && filter.operator === "gt" ? { ...filter, operator: "gte" } : filter,
    ),
  ),
  broken(
    "excludes the bound",
    "compare dates",
    filtering((filter) =>
      filter.kind === "compare" && filter.operator === "lte" ? { ...filter, operator: "lt" } : filter,
    ),
  ),
  broken(
    "takes what is missing for less",
    "compare numbers",
    filtering((filter) =>
      filter.kind === "compare" && filter.operator.startsWith("lt")
        ? { kind: "any", filters: [filter, { kind: "empty", path: filter.path }] }
        : filter,
    ),
  ),
  broken(
    "compares ids as texts",
    "find objects by their ids, which are ordered by number",
    judging((leaf, { id }) =>
      leaf.kind === "compare" && leaf.path.type === "id"
        ? { gt: id > leaf.value, gte: id >= leaf.value, lt: id < leaf.value, lte: id <= leaf.value }[leaf.operator]
        : undefined,
    ),
  ),
  broken(
    "compares JSON as text",
    "tell JSON apart, but not by the order of members",
    judging((leaf, object) =>
      leaf.kind === "oneOf" && leaf.path.type === "json"
        ? leaf.values.some((each) => JSON.stringify(each) === JSON.stringify(valueOf(object, leaf)))
        : undefined,
    ),
  ),
  broken(
    "compares times by the second",
    "find objects by the time of their last write",
    filtering((filter) =>
      filter.kind === "compare" && filter.path.type === "time"
        ? { ...filter, value: Math.floor(Number(filter.value) / 10_000) * 10_000 }
        : filter,
    ),
  ),
  broken(
    "takes attributes for meta-fields",
    "tell meta-fields from attributes of the same name",
    judging((leaf, object) =>
      leaf.kind === "oneOf" && leaf.path.type === "class"
        ? leaf.values.includes(String(valueOf(object, leaf) ?? object.className))
        : undefined,
    ),
  ),

  broken(
    "takes patterns in any case",
    "find texts that are like a pattern",
    judging((leaf, object) => {
      const value = valueOf(object, leaf);
      if (leaf.kind !== "like" || /[\\_%]/.test(leaf.pattern)) return undefined;
      return typeof value === "string" && value.toLowerCase() === leaf.pattern.toLowerCase();
    }),
  ),
  broken(
    "does not know escapes in patterns",
    "find texts that are like a pattern",
    filtering((filter) =>
      filter.kind === "like" ? { ...filter, pattern: filter.pattern.replaceAll("\\", "\\\\") } : filter,
    ),
  ),
  broken(
    "lets a pattern end at a line",
    "find texts that are like a pattern",
    judging((leaf, object) => {
      const value = valueOf(object, leaf);
      return leaf.kind === "like" && leaf.pattern === "%"
        ? typeof value === "string" && !value.includes("\n")
        : undefined;
    }),
  ),
  broken(
    "takes two units for two characters",
    "find texts that are like a pattern",
    judging((leaf, object) => {
      const value = valueOf(object, leaf);
      return leaf.kind === "like" && /^_+$/.test(leaf.pattern)
        ? typeof value === "string" && value.length === leaf.pattern.length
        : undefined;
    }),
  ),
  broken(
    "takes a pattern for a part",
    "find texts that are like a pattern",
    filtering((filter) => (filter.kind === "like" ? { ...filter, pattern: `%${filter.pattern}%` } : filter)),
  ),
  broken(
    "takes a part for a pattern",
    ["find texts that have a part", "take hostile texts for what they are"],
    filtering((filter) =>
      filter.kind === "contains" && filter.path.type === "string"
        ? { kind: "like", path: filter.path, pattern: `%${filter.value.replace(/\\$/, "\\\\")}%` }
        : filter,
    ),
  ),
  broken(
    "searches the start of long texts",
    "find long texts by what stands behind their start",
    judging((leaf, object) => {
      const value = valueOf(object, leaf);
      return leaf.kind === "contains" && leaf.path.type === "string"
        ? typeof value === "string" && value.slice(0, 600).includes(leaf.value)
        : undefined;
    }),
  ),
  broken(
    "finds members by a part of their ids",
    "find collections by their members",
    judging((leaf, object) =>
      leaf.kind === "contains" && leaf.path.type === "collection"
        ? JSON.stringify(valueOf(object, leaf) ?? null).includes(leaf.value)
        : undefined,
    ),
  ),
];
