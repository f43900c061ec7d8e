import { faultAt, type Filter, isObjectId, isUuid, jsonPointer, type ServiceError } from "@sallyport/storage";

/** Path to a value in a request: member names and indexes. */
export type Place = readonly PropertyKey[];

/** 307 for an invalid value in a query. */
export function fault(place: Place, reason: string): ServiceError {
  return faultAt(jsonPointer(place), reason);
}

type Condition = Exclude<Filter, { readonly kind: "all" | "any" | "not" }>;

/** The leaf conditions of a filter. */
export function conditionsOf(filter: Filter): readonly Condition[] {
  if (filter.kind === "not") return conditionsOf(filter.filter);
  return filter.kind === "all" || filter.kind === "any" ? filter.filters.flatMap(conditionsOf) : [filter];
}

const maxObjects = 1_000;

/** Parses the ids and UUIDs of a query. Unknown ones match nothing. */
export function objectsFilter(value: unknown, place: Place): Filter {
  if (!Array.isArray(value)) throw fault(place, "An array of ids is expected.");
  if (value.length > maxObjects) throw fault(place, `At most ${maxObjects} ids are allowed.`);
  const ids = value.filter((each: unknown): each is string => typeof each === "string" && isObjectId(each));
  const uuids = value.filter((each: unknown): each is string => typeof each === "string" && isUuid(each));
  const other = value.findIndex((each: unknown) => typeof each !== "string" || !(isObjectId(each) || isUuid(each)));
  if (other >= 0) throw fault([...place, other], "An id or a UUID is expected.");
  const filters: Filter[] = [];
  if (ids.length > 0) filters.push({ kind: "oneOf", path: { hops: [], leaf: "~ObjectID", type: "id" }, values: ids });
  if (uuids.length > 0)
    filters.push({
      kind: "oneOf",
      path: { hops: [], leaf: "~UUID", type: "uuid" },
      values: uuids.map((uuid) => uuid.toLowerCase()),
    });
  return { kind: "any", filters };
}
