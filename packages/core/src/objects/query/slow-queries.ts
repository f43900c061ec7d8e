import type { Model, ModelClass } from "../../model/index.ts";
import { type Filter, isIndexable, type ObjectQuery, type ValuePath } from "@sallyport/storage";
import { conditionsOf } from "./parsing/fault.ts";

/** A query and its duration. */
export interface TimedQuery {
  readonly requestId: string;
  /** Alias of the database. */
  readonly alias: string;
  readonly className: string;
  readonly milliseconds: number;
  /** The filter and sort attributes that could have an index but have none, as `Class.Attribute`. */
  readonly unindexed: () => readonly string[];
}

/** Port: reports slow queries. Receives every query, including failed ones. */
export interface SlowQueries {
  took(query: TimedQuery): void;
}

/** Indexable attributes without an index in filter and sort, as `Class.Attribute`, including those behind references. */
export function unindexedAttributes(
  { filter, sort = [] }: ObjectQuery,
  className: string,
  model: Model,
): readonly string[] {
  const paths = [...(filter === undefined ? [] : servedPaths(filter)), ...sort.map(({ path }) => path)];
  const names = new Set<string>();
  for (const { hops, leaf } of paths) {
    let holder = model.find(className);
    for (const name of [...hops.map(({ reference }) => reference), leaf]) {
      const attribute = holder === undefined ? undefined : attributeOf(holder, name, model);
      if (holder === undefined || attribute === undefined) break;
      if (attribute.indexed !== true && isIndexable(attribute.type)) names.add(`${holder.definition.name}.${name}`);
      holder = attribute.target === undefined ? undefined : model.find(attribute.target);
    }
  }
  return [...names];
}

/** The attribute in the class or one of its subclasses. */
function attributeOf({ subtree }: ModelClass, name: string, model: Model) {
  return subtree.flatMap((each) => model.find(each)?.attributes.get(name) ?? [])[0];
}

/** Paths that an index can serve. An index cannot serve a search inside texts. */
function servedPaths(filter: Filter): readonly ValuePath[] {
  const served = conditionsOf(filter).filter((condition) => {
    if (condition.kind === "like") return !/^[%_]|^$/.test(condition.pattern);
    return condition.kind !== "present" && condition.kind !== "contains";
  });
  return served.map(({ path }) => path);
}
