import type { JsonValue, Kernel, Row } from "@sallyport/storage";
import { equal, equalInAnyOrder, isTrue } from "../../assert/index.ts";
import type { Check } from "../../check.ts";
import { concurrently } from "../../fixtures/concurrently.ts";
import { kernelChecks, keysIn, numberRow, otherTable, put, rowOf, rowsIn, rowTable } from "./kernel-checks.ts";

const table = rowTable.name;

const values: { readonly [what: string]: JsonValue } = {
  "an empty object": {},
  nulls: { none: null, list: [null, null], object: { none: null } },
  booleans: { yes: true, no: false },
  nesting: { a: [{ b: [[], {}, [{ c: { d: [1, [2, [3]]] } }]] }] },
  "small and large integers": { numbers: [0, 1, -1, 2 ** 31, 2 ** 53 - 1, -(2 ** 53) + 1] },
  "fractions and exponents": { numbers: [0.1, 0.1 + 0.2, 1 / 3, 1e21, 1.5e300, -1.7976931348623157e308, 5e-324] },
  "texts of all planes": { text: "aä\u20ac\ud7ff\ue000\uffff\u{10000}\u{1f469}\u{10ffff}" },
  "texts with control characters and quotes": { text: "\u0001\u0008\t\n\r\u001f\"\\/'`\u007f\u2028\ufeff" },
  "texts that look like other values": { texts: ["", "null", "1", "true", "{}", " a ", "1e5", "2026-01-01"] },
  "unusual names of members": { "": 1, "a b": 2, "\u{1f469}": 3, '"': 4, "a.b": 5, $set: 6, constructor: 7 },
};

/** The value of the row with this key. */
async function valueOf(kernel: Kernel, key: string): Promise<JsonValue | undefined> {
  const [row] = await kernel.read((reader) => reader.get(table, [key]));
  return row?.value;
}

async function keepsText(kernel: Kernel, text: string): Promise<void> {
  await put(kernel, [rowOf("long", { text })]);
  const found = (await valueOf(kernel, "long")) as { readonly text: string } | undefined;
  equal(found?.text.length, text.length, "the length of the text");
  isTrue(found?.text === text, "The text must be the stored one");
  const [inRange] = await rowsIn(kernel);
  isTrue((inRange?.value as typeof found | undefined)?.text === text, "The text in a range must be the stored one");
}

/** A text of 8,192 bytes that ends with `end`. */
function longest(character: string, end: string): string {
  const bytes = Buffer.byteLength(character);
  return character.repeat(Math.floor((8_192 - Buffer.byteLength(end)) / bytes)) + end;
}

export const kernelRowChecks: readonly Check[] = kernelChecks({
  "finds each wanted row once, and nothing for unknown keys": async ({ kernel }) => {
    await put(
      kernel,
      ["a", "b", "c"].map((key) => rowOf(key)),
    );
    const get = (...keys: readonly string[]) => kernel.read((reader) => reader.get(table, keys));
    equalInAnyOrder(
      (await get("c", "none", "a", "A", "aa", "c")).map(({ key, value }) => ({ key, value })),
      [
        { key: "a", value: { key: "a" } },
        { key: "c", value: { key: "c" } },
      ],
      "the rows",
    );
    equal(await get("none"), [], "the rows of an unknown key");
    equal(await get(), [], "the rows of no keys");
  },

  "keeps null, numbers and texts in values exactly": async ({ kernel }) => {
    await put(
      kernel,
      Object.entries(values).map(([key, value]) => rowOf(key, value)),
    );
    for (const [key, value] of Object.entries(values)) equal(await valueOf(kernel, key), value, key);
    const range = await rowsIn(kernel);
    equal(range.length, Object.keys(values).length, "number of rows in a range");
    for (const { key, value } of range) equal(value, values[key], `${key} in a range`);
  },

  "keeps a value with a text of 1 MiB": ({ kernel }) => keepsText(kernel, '\u{1f469}ä"\n'.repeat(2 ** 17)),

  "keeps a value with a text of 16 MiB": ({ kernel }) => keepsText(kernel, "0123456789abcdef".repeat(2 ** 20)),

  "replaces a row and all of its places": async ({ kernel }) => {
    const before: Row = { key: "a", value: { old: 1 }, places: { first: ["1", "2"], second: ["3"] } };
    const after: Row = { key: "a", value: { new: [2] }, places: { first: ["2", "4"], second: [] } };
    await put(kernel, [before, rowOf("b", {}, "5")]);
    await put(kernel, [after]);
    equal(await valueOf(kernel, "a"), { new: [2] }, "the value");
    equal(
      (await rowsIn(kernel, { index: "first" })).map(({ key, value, place }) => [key, value, place]),
      [
        ["a", { new: [2] }, "2"],
        ["a", { new: [2] }, "4"],
        ["b", {}, "5"],
      ],
      "the first index",
    );
    equal(await rowsIn(kernel, { index: "second" }), [], "the second index");
    equal(await kernel.read((reader) => reader.count(table, { index: "first" }, 10)), 3, "the number of places");
    equal(await keysIn(kernel), ["a", "b"], "the keys");
  },

  "keeps the last of several rows with one key": async ({ kernel }) => {
    await put(kernel, [numberRow("a", 1, "1"), numberRow("b", 2, "2"), numberRow("a", 3, "3")]);
    equal(await valueOf(kernel, "a"), { number: 3 }, "the value");
    equal(await keysIn(kernel, { index: "first" }), ["b", "a"], "the keys in the order of their places");
  },

  "gives a place that a row has left to another one, in one call": async ({ kernel }) => {
    await put(kernel, [numberRow("a", 1, "1"), numberRow("b", 2, "2")]);
    await put(kernel, [numberRow("a", 1, "3"), numberRow("b", 2, "1")]);
    equal(await keysIn(kernel, { index: "first" }), ["b", "a"], "the keys in the order of their places");
    await kernel.transaction(async (transaction) => {
      await transaction.delete(table, ["b"]);
      await transaction.put(table, [numberRow("c", 3, "1")]);
    });
    equal(await keysIn(kernel, { index: "first" }), ["c", "a"], "the keys after the place is taken again");
  },

  "deletes rows with their places, and ignores unknown keys": async ({ kernel }) => {
    await put(kernel, [rowOf("a", {}, "1", "2"), rowOf("b", {}, "3"), rowOf("c", {}, "4")]);
    await kernel.transaction((transaction) => transaction.delete(table, ["a", "none", "c", "a"]));
    equal(await keysIn(kernel), ["b"], "the keys");
    equal(await keysIn(kernel, { index: "first" }), ["b"], "the keys in the index");
    equal(await kernel.read((reader) => reader.count(table, { index: "first" }, 10)), 1, "the number of places");
    equal(await valueOf(kernel, "a"), undefined, "the deleted row");
    await kernel.transaction(async (transaction) => {
      await transaction.delete(table, []);
      await transaction.delete(table, ["none"]);
      await transaction.put(table, []);
    });
    await put(kernel, [rowOf("a", { again: true })]);
    equal(await valueOf(kernel, "a"), { again: true }, "the row that is stored again");
    equal(await keysIn(kernel, { index: "first" }), ["b"], "the keys in the index after that");
  },

  "separates tables and indexes": async ({ kernel }) => {
    const inFirst: Row = { key: "same", value: { in: 1 }, places: { first: ["place"], second: ["other"] } };
    const inSecond: Row = { key: "same", value: { in: 2 }, places: { first: [], second: ["place"] } };
    await put(kernel, [inFirst]);
    await put(kernel, [inSecond], otherTable.name);
    equal(await valueOf(kernel, "same"), { in: 1 }, "the row of the first table");
    const placesOf = async (name: string, index: string) =>
      (await rowsIn(kernel, { index }, { table: name })).map(({ place, value }) => [place, value]);
    equal(await placesOf(table, "first"), [["place", { in: 1 }]], "the first index of the first table");
    equal(await placesOf(table, "second"), [["other", { in: 1 }]], "the second index of the first table");
    equal(await placesOf(otherTable.name, "first"), [], "the first index of the second table");
    equal(await placesOf(otherTable.name, "second"), [["place", { in: 2 }]], "the second index of the second table");
    await kernel.transaction((transaction) => transaction.delete(otherTable.name, ["same"]));
    equal(await keysIn(kernel), ["same"], "the keys of the first table");
    equal(await keysIn(kernel, {}, otherTable.name), [], "the keys of the second table");
  },

  "accepts keys and places of 8,192 bytes, and tells them apart by the last one": async ({ kernel }) => {
    const keys = [
      longest("a", "x"),
      longest("a", "y"),
      longest("\u{1f469}", "\u{1f468}"),
      longest("\u{1f469}", "\u{1f469}"),
    ];
    await put(
      kernel,
      keys.map((key, index) => rowOf(key, { index }, longest("\u{10000}", `${9 - index}`))),
    );
    const all = [0, 1, 2, 3].map((index) => ({ index }));
    equal(
      (await rowsIn(kernel)).map(({ value }) => value),
      all,
      "the rows in the order of their keys",
    );
    equalInAnyOrder(
      (await kernel.read((reader) => reader.get(table, keys))).map(({ value }) => value),
      all,
      "the rows of the keys",
    );
    equal(
      (await rowsIn(kernel, { from: keys[1]!, to: keys[3]! })).map(({ value }) => value),
      all.slice(1, 3),
      "a range",
    );
    equal(
      (await rowsIn(kernel, { index: "first" })).map(({ value }) => value),
      all.toReversed(),
      "the rows in the order of their places",
    );
  },

  "reads, stores and deletes 1,000 rows in one call": async ({ kernel }) => {
    const keys = Array.from({ length: 1_000 }, (_, index) => `row ${index}`);
    await put(
      kernel,
      keys.map((key, index) => numberRow(key, index, `place ${index}`)),
    );
    const found = await kernel.read((reader) => reader.get(table, keys));
    equal(new Set(found.map(({ key }) => key)).size, 1_000, "number of different rows");
    equal(found.length, 1_000, "number of rows");
    equal((await rowsIn(kernel, { index: "first" }, { limit: 1_000 })).length, 1_000, "number of rows in the index");
    await kernel.transaction((transaction) => transaction.delete(table, keys));
    equal(await kernel.read((reader) => reader.count(table, {}, 1)), 0, "number of rows left");
  },

  "isolates values from later changes by callers": async ({ kernel }) => {
    const value = { list: [1], object: { a: 1 } };
    const places = { first: ["1"], second: [] };
    const rows = [{ key: "a", value, places }];
    await kernel.transaction(async (transaction) => {
      await transaction.put(table, rows);
      value.list.push(2);
      value.object.a = 2;
      places.first.push("2");
      rows.length = 0;
    });
    const kept = { list: [1], object: { a: 1 } };
    equal(await valueOf(kernel, "a"), kept, "the value after a change of the stored one");
    equal((await rowsIn(kernel, { index: "first" })).length, 1, "number of places");
    for (const [found] of await concurrently(2, () => rowsIn(kernel))) {
      try {
        (found?.value as { list?: number[] } | undefined)?.list?.push(3);
      } catch {
        // Frozen values are isolated, too.
      }
    }
    equal(await valueOf(kernel, "a"), kept, "the value after a change of a value that was read");
  },
});
