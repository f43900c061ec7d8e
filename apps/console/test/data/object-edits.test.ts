import fc from "fast-check";
import type { ObjectRow } from "../../src/data/cell-text.ts";
import { changedMembers, hasFault, isSameValue, refusedMember, sentValue } from "../../src/data/form/object-edits.ts";

const meta = { "~ClassName": "Thing", "~ObjectID": "1" };
const other = { "~ClassName": "Other", "~ObjectID": "2B" };
const row: ObjectRow = {
  ...meta,
  Text: "a",
  Null: null,
  Number: 0.1,
  Json: { b: [1, { c: null }], a: "x", "~ObjectID": "9" },
  Link: other,
  Links: { "~Count": 2, "~UnfilteredCount": 2, "~Elements": [other, { ...other, "~ObjectID": "A" }] },
};
const columns = [
  { name: "Text", type: "string" },
  { name: "Absent", type: "string" },
  { name: "Null", type: "string" },
  { name: "Number", type: "number" },
  { name: "Json", type: "json" },
  { name: "Link", type: "reference" },
  { name: "Links", type: "collection" },
  { name: "NoLinks", type: "collection" },
] as const;

describe("members that a save sends", () => {
  test("are none of an untouched object, whatever its types", () => {
    expect(changedMembers(row, new Map(), columns).size).toBe(0);
    const same = new Map(columns.map((column) => [column.name, { value: sentValue(row, column) }]));
    expect(changedMembers(row, same, columns).size).toBe(0);
  });

  test.each<[name: string, stored: unknown]>([
    ["Text", "a"],
    ["Absent", undefined],
    ["Null", null],
    ["Link", "2B"],
    ["Links", ["2B", "A"]],
    ["NoLinks", []],
  ])("%s is compared as it is written", (name, stored) => {
    const column = columns.find((each) => each.name === name) ?? columns[0];
    expect(sentValue(row, column)).toEqual(stored);
  });

  test.each<[name: string, value: unknown]>([
    ["Absent", null],
    ["Absent", ""],
    ["Null", ""],
    ["Text", ""],
    ["Text", null],
    ["Links", ["A", "2B"]],
    ["Json", null],
  ])("%s as %j is a change", (name, value) => {
    expect([...changedMembers(row, new Map([[name, { value }]]), columns)]).toEqual([[name, value]]);
  });

  test("are those of attributes of the class only", () => {
    expect(changedMembers(row, new Map([["constructor", { value: 1 }]]), columns).size).toBe(0);
  });

  test("of a new object are all that were touched", () => {
    const edits = new Map([
      ["Text", { value: "b" }],
      ["NoLinks", { value: ["1"] }],
    ]);
    expect(Object.fromEntries(changedMembers(null, edits, columns))).toEqual({ Text: "b", NoLinks: ["1"] });
  });

  test("JSON is the same in any order of members", () => {
    const reversed = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(reversed);
      if (typeof value !== "object" || value === null) return value;
      return Object.fromEntries(
        Object.entries(value)
          .toReversed()
          .map(([name, each]) => [name, reversed(each)]),
      );
    };
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(isSameValue(value, reversed(value))).toBe(true);
      }),
    );
  });

  test("a fault is seen among edits", () => {
    expect(hasFault(new Map([["Number", { value: 1, text: "1,5", fault: "number" as const }]]))).toBe(true);
    expect(hasFault(new Map([["Number", { value: 1, text: "1.0" }]]))).toBe(false);
  });
});

test.each([
  ["at /Since: A date is expected.", { name: "Since", reason: "A date is expected." }],
  ["at /Json/a/0: A number: 1e400.", { name: "Json", reason: "A number: 1e400." }],
  ["The response is too large.", null],
  [undefined, null],
])("refusal %j names its member", (message, expected) => {
  expect(refusedMember(message)).toEqual(expected);
});
