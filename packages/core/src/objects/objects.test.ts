import fc from "fast-check";
import { changesFrom, findResultFrom } from "../execution/index.ts";
import { Model, type ModelClass } from "../model/index.ts";
import type { JsonValue } from "@sallyport/storage";
import { acceptAttributes, type InputAttributes } from "./attributes/accept-attributes.ts";
import { batches } from "./batches.ts";
import { areOfDifferentScripts, scriptsOf, skeletonOf } from "./name-shape.ts";
import { dateValue } from "./attributes/plain-value.ts";

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
const accept = (input: InputAttributes, isComplete = false) =>
  acceptAttributes(input, model.find("Thing") as ModelClass, { isComplete });
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
])("an attribute of type %s accepts %j", (name, value, stored) => {
  const { plain, links } = accept({ [name]: value });
  expect([...plain]).toEqual([[name, stored]]);
  expect(links).toEqual([]);
});

test.each(["File", "One", "Many"])("an attribute of type %s is cleared with null", (name) => {
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
  ["File", 7],
  ["File", ["7K"]],
  ["File", { "~ObjectID": "7K", Name: "new" }],
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
])("an attribute of type %s refuses %j and names the position", (name, value) => {
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
])("%j is accepted as a reference, as a file and as an element of a collection", (value, reference) => {
  const { links } = accept({ One: value, File: value, Many: ["1", value] });
  const pointers = [["/One"], ["/File"], ["/Many/0", "/Many/1"]];
  expect(links.map((link) => link.targets.map((target) => target.pointer))).toEqual(pointers);
  expect(links.map(({ targets }) => targets.at(-1)?.reference)).toEqual([reference, reference, reference]);
});

test("an invalid element of a collection is named", () => {
  expect(() => accept({ Many: ["1", "2", null] })).toThrow(
    expect.objectContaining({ code: 307, detail: expect.stringMatching(/^at \/Many\/2: /) }),
  );
});

test("mandatory attributes are required of a whole object only", () => {
  expect(() => accept({ Number: 1 }, true)).toThrow(
    expect.objectContaining({ code: 307, detail: "at /Text: The attribute is mandatory." }),
  );
  expect([...accept({ Number: 1 }).plain]).toEqual([["Number", 1]]);
  expect([...accept({ Text: "a" }, true).plain]).toEqual([["Text", "a"]]);
});

test("a body may contain ~StoreTime, but no member that the class does not define", () => {
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

const inBatches = (items: readonly number[], most: { items: number; bytes: number }) => [
  ...batches(items, (item) => item, most),
];

describe("batches", () => {
  test("end at the maximum number of items", () =>
    expect(inBatches([1, 1, 1, 1, 1], { items: 2, bytes: 100 })).toEqual([[1, 1], [1, 1], [1]]));
  test("end at the maximum number of bytes", () =>
    expect(inBatches([4, 6, 1, 9, 1], { items: 9, bytes: 10 })).toEqual([[4, 6], [1, 9], [1]]));
  test("contain an oversized item alone", () =>
    expect(inBatches([1, 50, 1], { items: 9, bytes: 10 })).toEqual([[1], [50], [1]]));
  test("are empty for an empty list", () => expect(inBatches([], { items: 9, bytes: 10 })).toEqual([]));
});

test.each([
  ["2026-02-28", "2026-02-28"],
  ["2024-02-29", "2024-02-29"],
  ["0001-01-01", "0001-01-01"],
  ["0099-12-31", "0099-12-31"],
  ["9999-12-31", "9999-12-31"],
  ["2026-02-28T13:45:10.123Z", "2026-02-28T13:45:10.123Z"],
  ["2026-02-28T13:45:10Z", "2026-02-28T13:45:10.000Z"],
  ["2026-02-28T13:45Z", "2026-02-28T13:45:00.000Z"],
  ["2026-02-28T13:45:10.1Z", "2026-02-28T13:45:10.100Z"],
  ["2026-02-28T13:45:10.123999Z", "2026-02-28T13:45:10.123Z"],
  ["2026-02-28T00:30:00+02:00", "2026-02-27T22:30:00.000Z"],
  ["2026-02-28T23:30:00-05:30", "2026-03-01T05:00:00.000Z"],
  ["0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"],
  ["0044-03-15T12:00:00Z", "0044-03-15T12:00:00.000Z"],
])("date %s is accepted", (text, stored) => {
  expect(dateValue(text)).toBe(stored);
  expect(dateValue(stored)).toBe(stored);
});

test.each([
  "",
  "today",
  "2026",
  "2026-02",
  "20260228",
  "2026-2-28",
  "2026-02-29",
  "2026-04-31",
  "2026-00-10",
  "2026-13-01",
  "2026-01-00",
  "0000-01-01",
  "10000-01-01",
  "+002026-01-01",
  "-0001-01-01",
  " 2026-02-28",
  "2026-02-28 ",
  "2026-02-28\n",
  "2026-02-28T",
  "2026-02-28Z",
  "2026-02-28T13:45",
  "2026-02-28T13:45:10",
  "2026-02-28 13:45:10Z",
  "2026-02-28t13:45:10z",
  "2026-02-28T24:00:00Z",
  "2026-02-28T13:60:00Z",
  "2026-02-28T23:59:60Z",
  "2026-02-28T13:45:10.Z",
  "2026-02-28T13:45:10,5Z",
  "2026-02-28T13:45:10+0200",
  "2026-02-28T13:45:10+24:00",
  "2026-02-28T13:45:10+02",
  "2026-02-28T13:45:10ZZ",
  "0001-01-01T00:00:00+00:01",
  "9999-12-31T23:59:59-00:01",
  "２０２６-02-28",
])("date %j is refused", (text) => {
  expect(dateValue(text)).toBeUndefined();
});

test("dates agree with the calendar, and points in time are ordered like their texts", () => {
  const moment = fc.date({
    min: new Date("0001-01-01T00:00:00Z"),
    max: new Date("9999-12-31T23:59:59.999Z"),
    noInvalidDate: true,
  });
  fc.assert(
    fc.property(moment, moment, (one, other) => {
      const [first, second] = [dateValue(one.toISOString()), dateValue(other.toISOString())] as [string, string];
      expect(first).toBe(one.toISOString());
      expect(first < second).toBe(one.getTime() < other.getTime());
      expect(dateValue(first.slice(0, 10))).toBe(first.slice(0, 10));
    }),
  );
});

describe("output of the sandbox", () => {
  test("is accepted when valid", () => {
    const changes = [null, { set: { Name: "x" }, removed: ["Age"] }];
    expect(changesFrom("hook", changes, 2)).toEqual(changes);
    expect(
      findResultFrom("hook", { accepted: true, where: [{}], oids: [["1"]], sort: ["-Name"], surprise: 1 }),
    ).toEqual({
      accepted: true,
      where: [{}],
      oids: [["1"]],
      sort: ["-Name"],
    });
    expect(findResultFrom("hook", { accepted: false, where: [], oids: [] })).toEqual({
      accepted: false,
      where: [],
      oids: [],
    });
  });

  const wrongChanges: (JsonValue | undefined)[] = [
    undefined,
    null,
    {},
    [],
    [null, null],
    "x",
    [5],
    [[]],
    [{}],
    [{ set: {} }],
    [{ set: [], removed: [] }],
    [{ set: {}, removed: "x" }],
    [{ set: {}, removed: [5] }],
    [{ set: null, removed: [] }],
  ];
  test.each(wrongChanges.map((wrong) => [wrong]))("is refused as a change of one object: %j", (wrong) =>
    expect(() => changesFrom("hook", wrong, 1)).toThrow(expect.objectContaining({ code: 710 })),
  );

  const many = Array.from({ length: 101 }, () => ({}));
  const wrongSets: (JsonValue | undefined)[] = [
    undefined,
    null,
    true,
    [],
    {},
    { accepted: 1, where: [], oids: [] },
    { accepted: true, oids: [] },
    { accepted: true, where: {}, oids: [] },
    { accepted: true, where: many, oids: [] },
    { accepted: true, where: [], oids: many },
  ];
  test.each(wrongSets.map((wrong) => [wrong]))("is refused as a set of objects: %j", (wrong) =>
    expect(() => findResultFrom("hook", wrong)).toThrow(expect.objectContaining({ code: 710 })),
  );
});

describe("names that look alike", () => {
  test.each([
    ["paypal", "\u0440\u0430\u0443\u0440\u0430\u04cf", "Latin", "Cyrillic"],
    ["paypal", "p\u0430ypal", "Latin", "Cyrillic Latin"],
    ["modern", "rnodern", "Latin", "Latin"],
    ["ren\u00e9", "ren\u0435\u0301", "Latin", "Cyrillic Latin"],
    ["GooGle", "\u13c0oo\u13c0le", "Latin", "Latin other"],
    ["a\u200bb", "ab", "Latin", "Latin"],
    ["10", "l0", "", "Latin"],
  ])("%j and %j have one skeleton, and the scripts %j and %j", (one, other, scripts, others) => {
    expect(skeletonOf(one)).toBe(skeletonOf(other));
    expect([scriptsOf(one), scriptsOf(other)]).toEqual([scripts, others]);
    expect(areOfDifferentScripts(scripts, others)).toBe(scripts !== "" && scripts !== others);
  });

  test("other names have other skeletons", () => {
    expect(new Set(["ada", "Ada", "adam", "\u0430\u0434\u0430", "123"].map(skeletonOf)).size).toBe(5);
  });
});
