import type { Attributes, AttributeType } from "@sallyport/storage";
import fc from "fast-check";
import { nameOf, nonexistent } from "../object-names.ts";
import type { ScenarioObject } from "./query-scenario.ts";

type Types = Readonly<Record<string, AttributeType>>;

/** Attribute types by class and name. References point to items and things. */
export const attributeTypes: Readonly<Record<ScenarioObject["className"], Types>> = {
  Item: {
    Text: "string",
    Amount: "number",
    Flag: "boolean",
    Day: "date",
    Data: "json",
    Item: "reference",
    Thing: "reference",
    Things: "collection",
    File: "file",
  },
  Thing: { Text: "string", Amount: "number", Item: "reference" },
};

const long = "l".repeat(599);

/** Few values, for collisions: hostile, beyond the BMP, and near the index length limit. */
export const texts = [
  "",
  "a",
  "A",
  "ab",
  "b",
  "é",
  "\ud7ff",
  "\uffff",
  "\u{10000}",
  "a\u{1f600}b",
  "a%b",
  "a_b",
  "a\\b",
  "a'b",
  '"x"',
  long,
  `${long}l`,
  `${long}lm`,
  `${long}ll`,
  "\u{1f600}".repeat(600),
];
export const values = {
  string: texts,
  number: [-1.5, 0, 1, 2, 10, 1e21, -1e-7, Number.MAX_SAFE_INTEGER],
  boolean: [false, true],
  date: ["0001-01-01", "2024-02-29", "2024-02-29T00:00:00.000Z", "2024-02-29T12:30:00.500Z", "9999-12-31"],
  json: [1, "a", "", true, [], {}, { a: 1, b: [1, 2] }, { b: [1, 2], a: 1 }, [1, 2], [2, 1], { a: null }],
} as const;

/** Possible readers. */
export const readers = ["A1", "B2", "C3"];

/** Objects in a set. The first third are things. */
export const setSize = 24;

const names = Array.from({ length: setSize }, (_, number) => nameOf(number));

export function objectSets(): fc.Arbitrary<ScenarioObject[]> {
  const several = (className: ScenarioObject["className"], count: number) => {
    const object = fc.record({
      className: fc.constant(className),
      attributes: attributesOf(attributeTypes[className]),
      readers: fc.option(fc.subarray(readers), { freq: 2 }),
    });
    return fc.array(object, { minLength: count, maxLength: count });
  };
  return fc.tuple(several("Thing", setSize / 3), several("Item", (2 * setSize) / 3)).map((parts) => parts.flat());
}

function attributesOf(types: Types): fc.Arbitrary<Attributes> {
  const members = Object.entries(types).map(([name, type]) => [name, fc.option(valueOf(type), { freq: 6 })] as const);
  return fc.record(Object.fromEntries(members), {
    requiredKeys: [],
    noNullPrototype: true,
  }) as fc.Arbitrary<Attributes>;
}

function valueOf(type: AttributeType): fc.Arbitrary<unknown> {
  // Some references point to a nonexistent object.
  const target = fc.constantFrom(...names, nonexistent);
  if (type === "collection") return fc.uniqueArray(target, { maxLength: 4 });
  if (type === "reference" || type === "file") return target;
  return fc.constantFrom<unknown>(...values[type]);
}
