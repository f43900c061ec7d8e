import { type BrokenAdapter, broken } from "../broken-adapter.ts";
import { byUnits, filtering, judging, valueOf } from "./query-faults.ts";

/** Faults in comparing values and searching texts. */
export const brokenComparisons: readonly BrokenAdapter[] = [
  broken(
    "compares texts case-insensitively",
    "distinguishes texts",
    judging((leaf, object) => {
      const value = valueOf(object, leaf);
      if (leaf.kind !== "oneOf" || typeof value !== "string")
        return leaf.kind === "oneOf" && leaf.path.type === "string" ? false : undefined;
      return leaf.values.some((each) => String(each).toLowerCase() === value.toLowerCase());
    }),
  ),
  broken(
    "normalizes texts before it compares them",
    "distinguishes texts",
    judging((leaf, object) => {
      const value = valueOf(object, leaf);
      if (leaf.kind !== "oneOf" || leaf.path.type !== "string") return undefined;
      return typeof value === "string" && leaf.values.some((each) => String(each).normalize() === value.normalize());
    }),
  ),
  broken(
    "compares only the start of long texts",
    ["distinguishes long texts"],
    judging((leaf, object) => {
      const value = valueOf(object, leaf);
      if (leaf.kind !== "oneOf" || leaf.path.type !== "string") return undefined;
      return (
        typeof value === "string" && leaf.values.some((each) => String(each).slice(0, 600) === value.slice(0, 600))
      );
    }),
  ),
  broken(
    "compares texts by locale",
    "compares texts by code points",
    judging((leaf, object) => {
      const value = valueOf(object, leaf);
      if (leaf.kind !== "compare" || leaf.path.type !== "string") return undefined;
      const order = typeof value === "string" ? value.localeCompare(String(leaf.value), "en") : Number.NaN;
      return { gt: order > 0, gte: order >= 0, lt: order < 0, lte: order <= 0 }[leaf.operator];
    }),
  ),
  broken(
    "compares texts by UTF-16 code units",
    "compares texts by code points",
    judging((leaf, object) => {
      const value = valueOf(object, leaf);
      if (leaf.kind !== "compare" || leaf.path.type !== "string") return undefined;
      const order = typeof value === "string" ? byUnits(value, leaf.value) : Number.NaN;
      return { gt: order > 0, gte: order >= 0, lt: order < 0, lte: order <= 0 }[leaf.operator];
    }),
  ),
  broken(
    "compares numbers as texts",
    "compares numbers",
    judging((leaf, object) => {
      const value = valueOf(object, leaf);
      if (leaf.kind !== "compare" || leaf.path.type !== "number") return undefined;
      const order = typeof value === "number" ? byUnits(String(value), String(leaf.value)) : Number.NaN;
      return { gt: order > 0, gte: order >= 0, lt: order < 0, lte: order <= 0 }[leaf.operator];
    }),
  ),
  broken(
    "includes an exclusive bound",
    "compares numbers",
    filtering((filter) =>
      filter.kind === "compare" && filter.operator === "gt" ? { ...filter, operator: "gte" } : filter,
    ),
  ),
  broken(
    "excludes an inclusive bound",
    "compares dates",
    filtering((filter) =>
      filter.kind === "compare" && filter.operator === "lte" ? { ...filter, operator: "lt" } : filter,
    ),
  ),
  broken(
    "treats a missing value as less than any other",
    "compares numbers",
    filtering((filter) =>
      filter.kind === "compare" && filter.operator.startsWith("lt")
        ? { kind: "any", filters: [filter, { kind: "empty", path: filter.path }] }
        : filter,
    ),
  ),
  broken(
    "compares IDs as texts",
    "finds and compares objects by ID in numeric order",
    judging((leaf, { id }) =>
      leaf.kind === "compare" && leaf.path.type === "id"
        ? { gt: id > leaf.value, gte: id >= leaf.value, lt: id < leaf.value, lte: id <= leaf.value }[leaf.operator]
        : undefined,
    ),
  ),
  broken(
    "compares JSON as text",
    "distinguishes JSON values regardless of member order",
    judging((leaf, object) =>
      leaf.kind === "oneOf" && leaf.path.type === "json"
        ? leaf.values.some((each) => JSON.stringify(each) === JSON.stringify(valueOf(object, leaf)))
        : undefined,
    ),
  ),
  broken(
    "compares times in seconds",
    "finds objects by the time of their last write",
    filtering((filter) =>
      filter.kind === "compare" && filter.path.type === "time"
        ? { ...filter, value: Math.floor(Number(filter.value) / 10_000) * 10_000 }
        : filter,
    ),
  ),
  broken(
    "reads attributes instead of meta-fields",
    "distinguishes meta-fields from attributes with the same name",
    judging((leaf, object) =>
      leaf.kind === "oneOf" && leaf.path.type === "class"
        ? leaf.values.includes(String(valueOf(object, leaf) ?? object.className))
        : undefined,
    ),
  ),

  broken(
    "matches patterns case-insensitively",
    "finds texts by pattern",
    judging((leaf, object) => {
      const value = valueOf(object, leaf);
      if (leaf.kind !== "like" || /[\\_%]/.test(leaf.pattern)) return undefined;
      return typeof value === "string" && value.toLowerCase() === leaf.pattern.toLowerCase();
    }),
  ),
  broken(
    "ignores escapes in patterns",
    "finds texts by pattern",
    filtering((filter) =>
      filter.kind === "like" ? { ...filter, pattern: filter.pattern.replaceAll("\\", "\\\\") } : filter,
    ),
  ),
  broken(
    "ends a pattern at a line break",
    "finds texts by pattern",
    judging((leaf, object) => {
      const value = valueOf(object, leaf);
      return leaf.kind === "like" && leaf.pattern === "%"
        ? typeof value === "string" && !value.includes("\n")
        : undefined;
    }),
  ),
  broken(
    "matches one character as two code units",
    "finds texts by pattern",
    judging((leaf, object) => {
      const value = valueOf(object, leaf);
      return leaf.kind === "like" && /^_+$/.test(leaf.pattern)
        ? typeof value === "string" && value.length === leaf.pattern.length
        : undefined;
    }),
  ),
  broken(
    "matches patterns as substrings",
    "finds texts by pattern",
    filtering((filter) => (filter.kind === "like" ? { ...filter, pattern: `%${filter.pattern}%` } : filter)),
  ),
  broken(
    "ends the texts with a beginning at U+FFFF",
    "finds indexed texts of all planes by their beginning",
    judging((leaf, object) => {
      const value = valueOf(object, leaf);
      if (leaf.kind !== "like" || !leaf.pattern.endsWith("%")) return undefined;
      const start = leaf.pattern.slice(0, -1);
      return typeof value === "string" && value.startsWith(start) && (value.codePointAt(start.length) ?? 0) <= 0xffff;
    }),
  ),
  broken(
    "matches substrings as patterns",
    ["finds texts by substring", "treats hostile texts literally"],
    filtering((filter) =>
      filter.kind === "contains" && filter.path.type === "string"
        ? { kind: "like", path: filter.path, pattern: `%${filter.value.replace(/\\$/, "\\\\")}%` }
        : filter,
    ),
  ),
  broken(
    "searches only the start of long texts",
    "finds long texts by a part after their start",
    judging((leaf, object) => {
      const value = valueOf(object, leaf);
      return leaf.kind === "contains" && leaf.path.type === "string"
        ? typeof value === "string" && value.slice(0, 600).includes(leaf.value)
        : undefined;
    }),
  ),
  broken(
    "finds members by a part of their IDs",
    "finds collections by their members",
    judging((leaf, object) =>
      leaf.kind === "contains" && leaf.path.type === "collection"
        ? JSON.stringify(valueOf(object, leaf) ?? null).includes(leaf.value)
        : undefined,
    ),
  ),
];
