import type { FoundRow, Kernel, KernelRange, Row } from "@sallyport/storage";
import fc from "fast-check";
import { equal } from "../../assert/index.ts";
import type { Check } from "../../check.ts";
import { kernelChecks, put, rowOf, rowTable } from "./kernel-checks.ts";

const table = rowTable.name;

/** Fixed, so that all runs check the same ranges. */
const seed = 20_261_129;

const codePoints = fc.oneof(
  fc.constantFrom(1, 2, 3, 0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xe000, 0xfffd, 0xffff, 0x10000, 0x10ffff),
  fc.integer({ min: 0x20, max: 0x7e }),
  fc.integer({ min: 0x80, max: 0xd7ff }),
  fc.integer({ min: 0xe000, max: 0xffff }),
  fc.integer({ min: 0x10000, max: 0x10ffff }),
);

/** Texts of all planes. Many have the same beginning. */
const texts = fc
  .tuple(
    fc.constantFrom("", "a", "\u0001", "\uffff", "\u{10000}"),
    fc.array(codePoints, { minLength: 1, maxLength: 4 }),
  )
  .map(([beginning, rest]) => beginning + String.fromCodePoint(...rest));

const inOrder = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other));

/** The places and keys of a range, according to a plain sort. */
function expectedOf(
  all: readonly Row[],
  { index, from, to }: KernelRange,
  { limit, descending }: { readonly limit: number; readonly descending: boolean },
): { key: string; place: string }[] {
  const placed = all.flatMap(({ key, places }) =>
    index === undefined ? [{ key, place: key }] : (places[index] ?? []).map((place) => ({ key, place })),
  );
  const inside = placed
    .filter(({ place }) => from === undefined || inOrder(place, from) >= 0)
    .filter(({ place }) => to === undefined || inOrder(place, to) < 0)
    .toSorted((one, other) => inOrder(one.place, other.place));
  return (descending ? inside.toReversed() : inside).slice(0, limit);
}

const shownOf = (found: readonly FoundRow[]) => found.map(({ key, place }) => ({ key, place }));

const nameOf = (range: KernelRange, limit: number, descending: boolean) =>
  `at most ${limit} rows of ${JSON.stringify(range)}${descending ? ", descending" : ""}`;

/** Compares ranges and counts with those of a plain sort, in one state. */
async function compareRanges(kernel: Kernel, rows: readonly Row[], ranges: readonly KernelRange[]): Promise<void> {
  await kernel.read(async (reader) => {
    for (const range of ranges) {
      for (const limit of [1, 2, 10_000]) {
        for (const descending of [false, true])
          equal(
            shownOf(await reader.range(table, range, limit, descending)),
            expectedOf(rows, range, { limit, descending }),
            nameOf(range, limit, descending),
          );
        const counted = expectedOf(rows, range, { limit, descending: false }).length;
        equal(await reader.count(table, range, limit), counted, `the count, of ${nameOf(range, limit, false)}`);
      }
    }
  });
}

/** Rows with several places, with random keys and places. */
function randomRows(number: number): Row[] {
  const [sample = []] = fc.sample(fc.uniqueArray(texts, { minLength: number * 3, maxLength: number * 3 }), {
    seed,
    numRuns: 1,
  });
  return Array.from({ length: number }, (_, index) => {
    const [key = "", first = "", second = ""] = sample.slice(index * 3, index * 3 + 3);
    return { key, value: { index }, places: { first: index % 3 === 0 ? [first, second] : [first], second: [second] } };
  });
}

/** Ranges whose ends are in the list, near it, or absent. */
function randomRanges(number: number, ends: readonly string[]): KernelRange[] {
  const end = fc.option(fc.oneof(fc.constantFrom(...ends), texts), { nil: undefined, freq: 6 });
  const ranges = fc.record({ index: fc.constantFrom(undefined, "first", "second"), from: end, to: end });
  return fc.sample(ranges, { seed, numRuns: number }).map(({ index, from, to }) => ({
    ...(index === undefined ? {} : { index }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
  }));
}

export const kernelRangeChecks: readonly Check[] = kernelChecks({
  "begins a range with its first key or place, and ends it before its last": async ({ kernel }) => {
    const rows = ["a", "b", "c", "d"].map((key, index) => rowOf(key, {}, `${"zyxw"[index]}`));
    await put(kernel, rows);
    const ends = [undefined, "0", "a", "b", "bb", "d", "e"];
    const ofKeys = ends.flatMap((from) => ends.map((to) => ({ from, to })));
    const places = [undefined, "w", "x", "z", "zz"];
    const ofPlaces = places.flatMap((from) => places.map((to) => ({ index: "first", from, to })));
    const ranges = [...ofKeys, ...ofPlaces].map((range) =>
      Object.fromEntries(Object.entries(range).filter(([, end]) => end !== undefined)),
    );
    await compareRanges(kernel, rows, ranges);
  },

  "finds a row once for each of its places, with the place": async ({ kernel }) => {
    await put(kernel, [rowOf("a", { a: 1 }, "3", "1", "5"), rowOf("b", { b: 1 }, "2"), rowOf("none", {})]);
    const found = await kernel.read((reader) => reader.range(table, { index: "first" }, 10));
    equal(
      found.map(({ key, value, place }) => [place, key, value]),
      [
        ["1", "a", { a: 1 }],
        ["2", "b", { b: 1 }],
        ["3", "a", { a: 1 }],
        ["5", "a", { a: 1 }],
      ],
      "the places, keys and values",
    );
    equal(await kernel.read((reader) => reader.count(table, { index: "first" }, 10)), 4, "the number of places");
    const byKey = await kernel.read((reader) => reader.range(table, { from: "b" }, 10));
    equal(
      byKey.map(({ place }) => place),
      ["b", "none"],
      "the places of a range of keys",
    );
  },

  "orders keys and places by code points": async ({ kernel }) => {
    const rows = randomRows(150);
    await put(kernel, rows);
    await compareRanges(kernel, rows, [{}, { index: "first" }, { index: "second" }]);
  },

  "finds every range of keys and places, in both directions, as a plain sort does": async ({ kernel }) => {
    const rows = randomRows(60);
    await put(kernel, rows);
    const ends = rows.flatMap(({ key, places }) => [key, ...Object.values(places).flat()]);
    await compareRanges(kernel, rows, randomRanges(120, ends));
  },

  "counts a range without a bound that matters": async ({ kernel }) => {
    await put(
      kernel,
      Array.from({ length: 30 }, (_, index) => rowOf(`${index}`, {}, `${index}`)),
    );
    const count = (range: KernelRange, atMost: number) => kernel.read((reader) => reader.count(table, range, atMost));
    for (const index of [undefined, "first"]) {
      const range = (from: string) => ({ ...(index === undefined ? {} : { index }), from });
      equal(await count(range("0"), Number.MAX_SAFE_INTEGER), 30, "the count without a bound");
      equal(await count(range("0"), 29), 29, "the count with a bound below the number");
      equal(await count(range("9"), 29), 1, "the count of the end");
      equal(await count({ ...range("5"), to: "3" }, 29), 0, "the count of an empty range");
    }
  },
});
