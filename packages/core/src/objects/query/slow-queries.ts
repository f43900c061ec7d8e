import type { Model, ModelClass } from "../../model/index.ts";
import { type Filter, isIndexable, type ObjectQuery, type ValuePath } from "../../storage/index.ts";
import { conditionsOf } from "./parsing/fault.ts";

/** A query that was asked of storage, and how long that took. */
export interface TimedQuery {
  readonly requestId: string;
  /** Alias of the database. */
  readonly alias: string;
  readonly className: string;
  readonly milliseconds: number;
  /** The attributes, as `Class.Attribute`, that it filters and sorts by and that could have an index but have none. */
  readonly unindexed: () => readonly string[];
}

/** Port: whoever wants to know which queries are slow. Told about each of them, also about those that failed. */
export interface SlowQueries {
  took(query: TimedQuery): void;
}

/** As `Class.Attribute`, what a query filters or sorts by without an index, of its class or behind references. */
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

/** Of the class, or of one below it. */
function attributeOf({ subtree }: ModelClass, name: string, model: Model) {
  return subtree.flatMap((each) => model.find(each)?.attributes.get(name) ?? [])[0];
}

/** The paths whose values an index finds. What stands somewhere inside of a text it does not. */
function servedPaths(filter: Filter): readonly ValuePath[] {
  const served = conditionsOf(filter).filter((condition) => {
    if (condition.kind === "like") return !/^[%_]|^$/.test(condition.pattern);
    return condition.kind !== "present" && condition.kind !== "contains";
  });
  return served.map(({ path }) => path);
}
