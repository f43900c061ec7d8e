import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { type ObjectRow, tableText } from "../../src/data/cell-text.ts";
import type { ValueColumn, ValueType } from "../../src/data/columns.ts";
import { blockAt, changeOf, type EmptyTexts, tableOf } from "../../src/data/grid/pasted-block.ts";
import { inParallel } from "../../src/data/in-parallel.ts";

const column = (name: string, type: ValueType, mandatory = false): ValueColumn => ({
  name,
  type,
  targetTitle: type === "reference" ? "Name" : null,
  sortKey: null,
  mandatory,
});
const stored: ObjectRow = {
  "~ClassName": "Parcel",
  "~ObjectID": "1",
  Name: "a",
  Empty: "",
  Null: null,
  Weight: 2.5,
  Sent: "2026-07-31T08:00:00.000Z",
  Fragile: true,
  Extra: '{"a":[1,2]}',
  Depot: { "~ClassName": "Depot", "~ObjectID": "D1", Name: "Graz" },
};

describe("tab-separated values", () => {
  test.each<[text: string, table: string[][]]>([
    ["", [[""]]],
    ["a", [["a"]]],
    [
      "a\tb\r\nc\td\r\n",
      [
        ["a", "b"],
        ["c", "d"],
      ],
    ],
    ['"a\tb"\t"c ""d"""\n', [["a\tb", 'c "d"']]],
    ['say "hi"\t"open', [['say "hi"', '"open']]],
    [
      "\t\n\t",
      [
        ["", ""],
        ["", ""],
      ],
    ],
    ['"line\nbreak"', [["line\nbreak"]]],
  ])("%j", (text, table) => {
    expect(tableOf(text)).toEqual(table);
  });

  test("are what a copy of several cells has written", () => {
    const cell = fc.string({ unit: fc.constantFrom("a", '"', "\t", "\n", "\r", " ") });
    const table = fc
      .integer({ min: 2, max: 4 })
      .chain((width) =>
        fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 4 }),
      );
    fc.assert(
      fc.property(table, (cells) => {
        expect(tableOf(tableText(cells))).toEqual(cells);
      }),
    );
  });
});

describe("block of a paste", () => {
  const rows = ["1", "2", "3"].map((id): ObjectRow => ({ "~ClassName": "Parcel", "~ObjectID": id }));
  const list = { rows, columns: [column("A", "string"), column("B", "string")] };

  test("begins at the first selected cell, and leaves out what is beside the list", () => {
    const place = { firstRow: 2, lastRow: 2, firstColumn: 1, lastColumn: 1 };
    const { texts, leftOut, ...block } = blockAt("a\tb\nc\td\ne\tf", list, place);
    expect([texts, leftOut]).toEqual([[["a"], ["c"]], 4]);
    expect(block.rows.map((row) => row["~ObjectID"])).toEqual(["2", "3"]);
    expect(block.columns.map(({ name }) => name)).toEqual(["B"]);
  });

  test("of a single text fills the selection", () => {
    const place = { firstRow: 1, lastRow: 2, firstColumn: 0, lastColumn: 1 };
    expect(blockAt("a", list, place).texts).toEqual([
      ["a", "a"],
      ["a", "a"],
    ]);
  });
});

describe("change of a cell", () => {
  const change = (name: string, type: ValueType, text: string, emptyTexts: EmptyTexts = "keep") =>
    changeOf(stored, { column: column(name, type), text, emptyTexts, meant: [] })?.outcome ?? null;

  test.each<[name: string, type: ValueType, text: string, outcome: unknown]>([
    ["Name", "string", "a", null],
    ["Name", "string", "b", { value: "b" }],
    ["Weight", "number", "2.50", null],
    ["Weight", "number", "3", { value: 3 }],
    ["Weight", "number", "3,5", { fault: "number" }],
    ["Weight", "number", "9007199254740993", { fault: "rounded" }],
    ["Sent", "date", "2026-07-31T10:00:00+02:00", null],
    ["Sent", "date", "2026-07-31", { value: "2026-07-31" }],
    ["Sent", "date", "2026-02-30", { fault: "date" }],
    ["Sent", "date", "2026-07-31T10:00:00", { fault: "date" }],
    ["Sent", "date", "31.07.2026", { fault: "date" }],
    ["Fragile", "boolean", "TRUE", null],
    ["Fragile", "boolean", "false", { value: false }],
    ["Fragile", "boolean", "1", { fault: "boolean" }],
    ["Extra", "json", '{ "a": [1, 2] }', null],
    ["Extra", "json", "[1", { fault: "json" }],
    ["Depot", "reference", "Graz", null],
    ["Depot", "reference", "Linz", { fault: "unknown" }],
    ["~ObjectID", "id", "1", null],
    ["~ObjectID", "id", "2", { fault: "fixed" }],
    ["File", "file", "a.pdf", { fault: "fixed" }],
  ])("%s (%s) from %j", (name, type, text, outcome) => {
    expect(change(name, type, text)).toEqual(outcome);
  });

  test.each<[name: string, emptyTexts: EmptyTexts, outcome: unknown]>([
    ["Name", "keep", null],
    ["Name", "null", { value: null }],
    ["Name", "empty", { value: "" }],
    ["Absent", "keep", null],
    ["Absent", "null", { value: null }],
    ["Absent", "empty", { value: "" }],
    ["Null", "null", null],
    ["Null", "empty", { value: "" }],
    ["Empty", "empty", null],
    ["Empty", "null", { value: null }],
  ])("of %s from nothing, to %s", (name, emptyTexts, outcome) => {
    expect(change(name, "string", "", emptyTexts)).toEqual(outcome);
  });

  test("a mandatory attribute takes no null, and other types no empty text", () => {
    const name = column("Name", "string", true);
    expect(changeOf(stored, { column: name, text: "", emptyTexts: "null", meant: [] })?.outcome).toEqual({
      fault: "mandatory",
    });
    expect(change("Weight", "number", "", "empty")).toBeNull();
    expect(change("Weight", "number", "", "null")).toEqual({ value: null });
  });

  test("a reference takes the one object that is meant", () => {
    const meaning = (...meant: string[]) =>
      changeOf(stored, { column: column("Depot", "reference"), text: "Linz", emptyTexts: "keep", meant })?.outcome;
    expect(meaning("D2")).toEqual({ value: "D2" });
    expect(meaning("D2", "D3")).toEqual({ fault: "ambiguous" });
  });
});

test("work in parallel keeps the order and the width, and stops", async () => {
  let [running, most] = [0, 0];
  const work = async (item: number) => {
    running += 1;
    most = Math.max(most, running);
    await setImmediate();
    running -= 1;
    return item * 2;
  };
  expect(await inParallel([1, 2, 3, 4, 5], { width: 2 }, work)).toEqual([2, 4, 6, 8, 10]);
  expect(most).toBe(2);
  const done: number[] = [];
  const results = inParallel([1, 2, 3], { width: 1, isStopped: () => done.length === 2 }, async (item) => {
    done.push(item);
    return item;
  });
  expect(await results).toEqual([1, 2]);
});
