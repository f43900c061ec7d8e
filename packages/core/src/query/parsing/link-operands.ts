import { isObjectId, type ObjectId } from "../../objects/object-id.ts";
import { namedObjects } from "../../objects/named-objects.ts";
import type { JsonValue } from "../../objects/stored-object.ts";
import type { Filter } from "../filter.ts";
import { never } from "./constant-filters.ts";

/**
 * Puts ids in the place of what the operands of links name by id or UUID, all of them looked up together. What leads to
 * nothing that the caller sees is left out, and so matches nothing.
 */
export async function resolveLinkOperands(filter: Filter, source: Parameters<typeof namedObjects>[1]): Promise<Filter> {
  const named = [...new Set(linkOperands(filter))];
  if (named.length === 0) return filter;
  const [ids, uuids] = [named.filter(isObjectId), named.filter((each) => !isObjectId(each))];
  const found = await namedObjects({ ids, uuids }, source);
  const known = new Map(found.flatMap(({ id, uuid }) => [[id, id] as const, [uuid, id] as const]));
  return withLinks(filter, known);
}

function linkOperands(filter: Filter): readonly string[] {
  switch (filter.kind) {
    case "all":
    case "any":
      return filter.filters.flatMap(linkOperands);
    case "not":
      return linkOperands(filter.filter);
    case "oneOf":
      return isLinks(filter) ? filter.values.filter((value) => typeof value === "string") : [];
    case "contains":
      return filter.path.type === "collection" ? [filter.value] : [];
    default:
      return [];
  }
}

function withLinks(filter: Filter, known: ReadonlyMap<JsonValue, ObjectId>): Filter {
  switch (filter.kind) {
    case "all":
    case "any":
      return { ...filter, filters: filter.filters.map((each) => withLinks(each, known)) };
    case "not":
      return { ...filter, filter: withLinks(filter.filter, known) };
    case "oneOf":
      return isLinks(filter)
        ? { ...filter, values: [...new Set(filter.values.flatMap((value) => known.get(value) ?? []))] }
        : filter;
    case "contains": {
      if (filter.path.type !== "collection") return filter;
      const value = known.get(filter.value);
      return value === undefined ? never : { ...filter, value };
    }
    default:
      return filter;
  }
}

function isLinks({ path: { type } }: Extract<Filter, { kind: "oneOf" }>): boolean {
  return type === "reference" || type === "file";
}
