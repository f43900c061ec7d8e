import type { Filter, Hop, ObjectQuery, Scalar, SortKey, ValuePath, ValueType } from "@sallyport/storage";
import fc from "fast-check";
import { nameOf, nonexistent, uuidOf } from "../object-names.ts";
import type { QueryScenario } from "./query-scenario.ts";
import { attributeTypes, readers, setSize, texts, values } from "./random-objects.ts";

const objects = Array.from({ length: setSize }, (_, number) => number);
const ids = [...objects.map(nameOf), nonexistent];
const uuids = [...objects.map(uuidOf), uuidOf(setSize)];
/** Before and after the storage of all objects: the clocks of two storages differ. */
const times = [0, 4_000_000_000_000];

const metaTypes = [
  ["~ObjectID", "id"],
  ["~UUID", "uuid"],
  ["~ClassName", "class"],
  ["~StoreTime", "time"],
] as const;
const ordered: ReadonlySet<ValueType> = new Set(["string", "number", "boolean", "date", "id", "uuid", "class", "time"]);

export function randomQueries(): fc.Arbitrary<Pick<QueryScenario, "query" | "visibility" | "limit">> {
  const { filter } = filters();
  const sortable = paths().filter(({ type }) => ordered.has(type));
  const sort: fc.Arbitrary<SortKey[]> = fc.array(fc.record({ path: sortable, descending: fc.boolean() }), {
    maxLength: 3,
  });
  const classes = fc.constantFrom(["Item"], ["Item"], ["Item", "Thing"], ["Thing", "Item", "Thing"]);
  return fc.record({
    query: fc.record({ classes, filter, sort }, { requiredKeys: ["classes"] }) as fc.Arbitrary<ObjectQuery>,
    visibility: fc.record({
      classes: fc.option(fc.subarray(["Item", "Thing"]), { freq: 2 }),
      principals: fc.option(fc.subarray(readers), { freq: 2 }),
    }),
    limit: fc.integer({ min: 2, max: 9 }),
  });
}

/** Up to three references, then an attribute or a meta-field of the target. */
function paths(): fc.Arbitrary<ValuePath> {
  const hop = fc
    .constantFrom("Item", "Thing")
    .chain((reference) =>
      fc.constantFrom(["Item"], ["Thing"], ["Item", "Thing"]).map((classes) => ({ reference, classes })),
    );
  const hops = fc.array(hop, { maxLength: 3 });
  return fc
    .oneof({ weight: 3, arbitrary: fc.constant<Hop[]>([]) }, { weight: 2, arbitrary: hops })
    .chain((followed) => {
      const types = attributeTypes[followed.at(-1)?.reference === "Thing" ? "Thing" : "Item"];
      const leaves = fc.constantFrom<readonly [string, ValueType]>(...Object.entries(types), ...metaTypes);
      return fc.tuple(leaves, fc.boolean()).map(([[leaf, type], indexed]) => ({ hops: followed, leaf, type, indexed }));
    });
}

function filters(): { filter: fc.Arbitrary<Filter> } {
  const condition = paths().chain((path) => fc.oneof(...conditions(path)));
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

function conditions(path: ValuePath): fc.Arbitrary<Filter>[] {
  const any: fc.Arbitrary<Filter>[] = [fc.constant({ kind: "present", path }), fc.constant({ kind: "empty", path })];
  const { type } = path;
  if (type === "collection")
    return [...any, fc.constantFrom(...ids).map((value) => ({ kind: "contains", path, value }))];
  const operands = fc.constantFrom<Scalar>(...(operandsOf(type) as Scalar[]));
  any.push(
    fc.array(operands, { maxLength: 3 }).map((operandValues) => ({ kind: "oneOf", path, values: operandValues })),
  );
  if (ordered.has(type)) {
    const operator = fc.constantFrom("gt", "gte", "lt", "lte");
    any.push(fc.record({ kind: fc.constant("compare"), path: fc.constant(path), operator, value: operands }));
  }
  if (type === "string" || type === "class") {
    const patterns = fc.array(fc.constantFrom("%", "_", "a", "b", "\\%", "\\_", "\\\\", "l", "\u{1f600}", "é"), {
      maxLength: 4,
    });
    any.push(patterns.map((parts) => ({ kind: "like", path, pattern: parts.join("") })));
    any.push(fc.constantFrom(...texts).map((value) => ({ kind: "contains", path, value })));
  }
  return any;
}

function operandsOf(type: Exclude<ValueType, "collection">): readonly unknown[] {
  switch (type) {
    case "id":
    case "reference":
    case "file":
      return ids;
    case "uuid":
      return uuids;
    case "class":
      return ["Item", "Thing", "Nothing", "'"];
    case "time":
      return times;
    default:
      return values[type];
  }
}
