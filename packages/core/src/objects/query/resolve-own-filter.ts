import type { Model, ModelClass } from "../../model/index.ts";
import {
  type Filter,
  isSingleLink,
  type ObjectId,
  type ObjectRepository,
  type ValueType,
  type Visibility,
} from "@sallyport/storage";
import { conditionsOf, fault, objectsFilter, type Place } from "./parsing/fault.ts";
import { resolveLinkOperands } from "./parsing/operand.ts";
import { parseWhere } from "./parsing/where-parser.ts";
import type { QueryRequest } from "./resolve-query.ts";

export interface OwnFilterSource {
  readonly model: Model;
  readonly objects: ObjectRepository;
  readonly visibility: Visibility;
  /** The classes of the objects, without subclasses. */
  readonly classes: readonly ModelClass[];
  /** Place of the query in the request. */
  readonly place: Place;
}

export interface OwnFilter {
  /** `null` for all objects. */
  readonly filter: Filter | null;
  /** The visible objects that the filter compares references with. They can become invisible, and visible again. */
  readonly targets: readonly ObjectId[];
}

/**
 * The filter of a query with `where` and `oids`, by values of the objects themselves. Without a write, an object keeps
 * matching or not matching. 307 as `resolveQuery`, for other members and for paths through references. Also 307 for the
 * comparison of a reference with null, which finds references without a visible target.
 */
export async function resolveOwnFilter(
  request: QueryRequest,
  { model, objects, visibility, classes, place }: OwnFilterSource,
): Promise<OwnFilter> {
  for (const name of Object.keys(request))
    if (name !== "where" && name !== "oids") throw fault([...place, name], "Only `where` and `oids` are allowed.");
  const { where, oids } = request;
  const filters: Filter[] = [];
  if (where !== undefined)
    filters.push(parseWhere({ source: { model, visibility, classes }, conditions: 0 }, where, [...place, "where"]));
  if (oids !== undefined) filters.push(objectsFilter(oids, [...place, "oids"]));
  for (const { kind, path } of filters.flatMap(conditionsOf)) {
    if (path.hops.length > 0) throw fault([...place, "where"], "Paths through references are not allowed.");
    if (kind === "empty" && isSingleLink(path.type))
      throw fault([...place, "where"], "References cannot be compared with null.");
  }
  const [only, ...others] = filters.filter((filter) => filter.kind !== "all" || filter.filters.length > 0);
  if (only === undefined) return { filter: null, targets: [] };
  const parsed: Filter = others.length === 0 ? only : { kind: "all", filters: [only, ...others] };
  const filter = await resolveLinkOperands(parsed, { model, objects, visibility });
  return { filter, targets: conditionsOf(filter).flatMap(targetsIn) };
}

function targetsIn(condition: ReturnType<typeof conditionsOf>[number]): readonly ObjectId[] {
  if (!isLinkType(condition.path.type)) return [];
  if (condition.kind === "contains") return [condition.value];
  return condition.kind === "oneOf" ? condition.values.filter((value) => typeof value === "string") : [];
}

function isLinkType(type: ValueType): boolean {
  return type === "collection" || isSingleLink(type);
}
