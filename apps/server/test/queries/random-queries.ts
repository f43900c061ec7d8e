import type { AttributeType, Filter, Hop, ObjectId, ObjectQuery, Scalar, SortKey, ValuePath, ValueType, Visibility } from "@sallyport/core";
import fc from "fast-check";
import { itemAttributes, readers, texts, thingAttributes, values } from "./random-objects.ts";

/** What a query can be made of. */
export interface Ingredients {
  readonly item: string;
  readonly thing: string;
  /** Objects, and other objects. */
  readonly ids: readonly ObjectId[];
  readonly uuids: readonly string[];
  /** Times before and after they were stored: the clocks of two storages do not show the same. */
  readonly times: readonly number[];
}

export interface RandomQuery {
  readonly query: ObjectQuery;
  readonly visibility: Visibility;
  readonly limit: number;
}

const metaTypes = [["~ObjectID", "id"], ["~UUID", "uuid"], ["~ClassName", "class"], ["~StoreTime", "time"]] as const;
const ordered: ReadonlySet<ValueType> = new Set(["string", "number", "boolean", "date", "id", "uuid", "class", "time"]);

export function randomQueries(from: Ingredients): fc.Arbitrary<RandomQuery> {
  const { filter } = filters(from);
  const sortable = paths(from).filter(({ type }) => ordered.has(type));
  const sort: fc.Arbitrary<SortKey[]> = fc.array(fc.record({ path: sortable, descending: fc.boolean() }), { maxLength: 3 });
  const classes = fc.constantFrom([from.item], [from.item], [from.item, from.thing], [from.thing, from.item, from.thing]);
  return fc.record({
    query: fc.record({ classes, filter, sort }, { requiredKeys: ["classes"] }) as fc.Arbitrary<ObjectQuery>,
    visibility: fc.record({
      classes: fc.option(fc.subarray([from.item, from.thing]).map((names) => new Set(names)), { freq: 2 }),
      principals: fc.option(fc.subarray(readers).map((names) => new Set(names)), { freq: 2 }),
    }),
    limit: fc.integer({ min: 2, max: 9 }),
  });
}

/** Up to three references, then an attribute of what they lead to, or a meta-field. */
function paths({ item, thing }: Ingredients): fc.Arbitrary<ValuePath> {
  const leaves = (types: Readonly<Record<string, AttributeType>>) => fc.constantFrom<readonly [string, ValueType]>(...Object.entries(types), ...metaTypes);
  const hop = fc.constantFrom("Item", "Thing").chain((reference) => fc.constantFrom([item], [thing], [item, thing]).map((classes) => ({ reference, classes })));
  const hops = fc.array(hop, { maxLength: 3 });
  return fc.oneof({ weight: 3, arbitrary: fc.constant<Hop[]>([]) }, { weight: 2, arbitrary: hops }).chain((followed) => {
    const types = followed.at(-1)?.reference === "Thing" ? thingAttributes : itemAttributes;
    return fc.tuple(leaves(types), fc.boolean()).map(([[leaf, type], indexed]) => ({ hops: followed, leaf, type, indexed }));
  });
}

function filters(from: Ingredients): { filter: fc.Arbitrary<Filter> } {
  const condition = paths(from).chain((path) => fc.oneof(...conditions(path, from)));
  return fc.letrec<{ filter: Filter }>((tie) => {
    const several = fc.array(tie("filter"), { maxLength: 3 });
    return {
      filter: fc.oneof(
        { depthSize: "small", withCrossShrink: true },
        { weight: 4, arbitrary: condition },
        { weight: 1, arbitrary: several.map((parts) => ({ kind: "all", filters: parts }) as const) },
        { weight: 1, arbitrary: several.map((parts) => ({ kind: "any", filters: parts }) as const) },
        { weight: 1, arbitrary: tie("filter").map((negated) => ({ kind: "not", filter: negated }) as const) },
      ),
    };
  });
}

function conditions(path: ValuePath, from: Ingredients): fc.Arbitrary<Filter>[] {
  const any: fc.Arbitrary<Filter>[] = [fc.constant({ kind: "present", path }), fc.constant({ kind: "empty", path })];
  const { type } = path;
  if (type === "collection") return [...any, fc.constantFrom(...from.ids).map((value) => ({ kind: "contains", path, value }))];
  const operands = fc.constantFrom<Scalar>(...(operandsOf(type, from) as Scalar[]));
  any.push(fc.array(operands, { maxLength: 3 }).map((wanted) => ({ kind: "oneOf", path, values: wanted })));
  if (ordered.has(type)) {
    const operator = fc.constantFrom("gt", "gte", "lt", "lte");
    any.push(fc.record({ kind: fc.constant("compare"), path: fc.constant(path), operator, value: operands }));
  }
  if (type === "string" || type === "class") {
    const patterns = fc.array(fc.constantFrom("%", "_", "a", "b", "\\%", "\\_", "\\\\", "l", "\u{1f600}", "é"), { maxLength: 4 });
    any.push(patterns.map((parts) => ({ kind: "like", path, pattern: parts.join("") })));
    any.push(fc.constantFrom(...texts).map((value) => ({ kind: "contains", path, value })));
  }
  return any;
}

function operandsOf(type: Exclude<ValueType, "collection">, { item, thing, ids, uuids, times }: Ingredients): readonly unknown[] {
  switch (type) {
    case "id":
    case "reference":
    case "file":
      return ids;
    case "uuid":
      return uuids;
    case "class":
      return [item, thing, "Nothing", "'"];
    case "time":
      return times;
    default:
      return values[type];
  }
}
