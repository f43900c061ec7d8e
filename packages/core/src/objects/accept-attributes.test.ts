import { Model, type ModelClass } from "../model/index.ts";
import type { JsonValue } from "../storage/index.ts";
import { acceptAttributes, type GivenAttributes } from "./accept-attributes.ts";

const attributes = [
  { name: "Text", type: "string", mandatory: true },
  { name: "Number", type: "number" },
  { name: "Flag", type: "boolean" },
  { name: "Date", type: "date" },
  { name: "Json", type: "json" },
  { name: "File", type: "file" },
  { name: "One", type: "reference", target: "Thing" },
  { name: "Many", type: "collection", target: "Thing" },
] as const;
const model = new Model({ generation: 1, classes: [{ name: "Thing", base: null, attributes, rights: [] }] });
const accept = (given: GivenAttributes, whole = false) =>
  acceptAttributes(given, model.find("Thing") as ModelClass, { whole });
const uuid = "0F8FAD5B-d9cb-469f-a165-70867728950e";

test.each<[string, JsonValue, JsonValue]>([
  ["Text", "", ""],
  ["Text", " any \u{1f469} text\n", " any \u{1f469} text\n"],
  ["Number", 0, 0],
  ["Number", -1.5e300, -1.5e300],
  ["Flag", false, false],
  ["Date", "2026-01-31", "2026-01-31"],
  ["Date", "2026-01-31T09:30:00+01:00", "2026-01-31T08:30:00.000Z"],
  ["Json", { a: [1, null, { b: "c" }] }, { a: [1, null, { b: "c" }] }],
  ["Json", "text", "text"],
  ["Json", [], []],
  ["Number", null, null],
])("takes for %s %j", (name, value, stored) => {
  const { plain, links } = accept({ [name]: value });
  expect([...plain]).toEqual([[name, stored]]);
  expect(links).toEqual([]);
});

test.each(["File", "One", "Many"])("empties %s with null", (name) => {
  const { plain, links, emptied } = accept({ [name]: null });
  expect([plain.size, links, emptied]).toEqual([0, [], [expect.objectContaining({ name })]]);
});

test.each<[string, JsonValue]>([
  ["Text", 1],
  ["Text", ["a"]],
  ["Text", "\0"],
  ["Text", "\ud800"],
  ["Text", null],
  ["Number", "1"],
  ["Number", Number.POSITIVE_INFINITY],
  ["Number", true],
  ["Flag", "true"],
  ["Flag", 0],
  ["Date", "yesterday"],
  ["Date", "2026-02-30"],
  ["Date", 1_769_817_600],
  ["Json", { a: ["\0"] }],
  ["Json", { "\0": 1 }],
  ["Json", { a: [Number.NEGATIVE_INFINITY] }],
  ["File", "7K"],
  ["One", 7],
  ["One", ""],
  ["One", "7k"],
  ["One", "Thing"],
  ["One", ["7K"]],
  ["One", {}],
  ["One", { "~ClassName": "Thing" }],
  ["One", { "~ObjectID": null }],
  ["One", { "~ObjectID": 7 }],
  ["One", { "~ObjectID": uuid }],
  ["One", { "~UUID": "7K" }],
  ["One", { "~ObjectID": "7K", "~ClassName": 1 }],
  ["One", { "~ObjectID": "7K", Text: "new" }],
  ["One", { "~ObjectID": "7K", "~Other": 1 }],
  ["Many", "7K"],
  ["Many", { "~Elements": ["7K"] }],
  ["Many", Array.from({ length: 10_001 }, (_, index) => String(index + 1))],
])("refuses %s %j with its place", (name, value) => {
  expect(() => accept({ [name]: value })).toThrow(
    expect.objectContaining({ code: 307, detail: expect.stringMatching(new RegExp(`^at /${name}: .+`)) }),
  );
});

test.each<[JsonValue, object]>([
  ["7K", { id: "7K", uuid: null, className: null }],
  [uuid, { id: null, uuid: uuid.toLowerCase(), className: null }],
  [{ "~ObjectID": "7K" }, { id: "7K", uuid: null, className: null }],
  [{ "~UUID": uuid }, { id: null, uuid: uuid.toLowerCase(), className: null }],
  [
    { "~ClassName": "Thing", "~ObjectID": "7K", "~StoreTime": "20260131T093000+01:00" },
    { id: "7K", uuid: null, className: "Thing" },
  ],
])("takes %j for a reference and as an element of a collection", (value, reference) => {
  const { links } = accept({ One: value, Many: ["1", value] });
  expect(links.map((link) => link.targets.map((target) => target.pointer))).toEqual([["/One"], ["/Many/0", "/Many/1"]]);
  expect([links[0]?.targets[0]?.reference, links[1]?.targets[1]?.reference]).toEqual([reference, reference]);
});

test("names the element of a collection that is none", () => {
  expect(() => accept({ Many: ["1", "2", null] })).toThrow(
    expect.objectContaining({ code: 307, detail: expect.stringMatching(/^at \/Many\/2: /) }),
  );
});

test("wants what is mandatory of a whole object, and leaves it alone otherwise", () => {
  expect(() => accept({ Number: 1 }, true)).toThrow(
    expect.objectContaining({ code: 307, detail: "at /Text: The attribute is mandatory." }),
  );
  expect([...accept({ Number: 1 }).plain]).toEqual([["Number", 1]]);
  expect([...accept({ Text: "a" }, true).plain]).toEqual([["Text", "a"]]);
});

test("takes no notice of ~StoreTime, and refuses all that the class does not have", () => {
  expect([...accept({ "~StoreTime": "anything", Number: 1 }).plain]).toEqual([["Number", 1]]);
  for (const name of [
    "~ObjectID",
    "~ClassName",
    "~UUID",
    "~",
    "text",
    "Text ",
    "constructor",
    "toString",
    "hasOwnProperty",
    "",
  ]) {
    expect(() => accept({ [name]: "a" })).toThrow(
      expect.objectContaining({ code: 307, detail: expect.stringMatching(/^at \//) }),
    );
  }
});
