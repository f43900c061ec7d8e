import { bytesOf, from, partsOf, union } from "../../src/files/held-ranges.ts";

const ranges = (text: string) =>
  text === ""
    ? []
    : text.split(" ").map((each) => ({ first: Number(each.split("-")[0]), last: Number(each.split("-")[1]) }));

test.each([
  ["", ""],
  ["0-9", "0-9"],
  ["0-9 10-19", "0-19"],
  ["10-19 0-8", "0-8 10-19"],
  ["0-99 10-19", "0-99"],
  ["5-9 0-6 20-29 9-19", "0-29"],
])("the union of %j is %j", (given, expected) => {
  expect(union(ranges(given))).toEqual(ranges(expected));
});

test.each([
  [0, "5-9", "5-9"],
  [5, "0-9 20-29", "5-9 20-29"],
  [10, "0-9 20-29", "20-29"],
  [30, "0-9 20-29", ""],
])("from %d on, %j is %j", (offset, given, expected) => {
  expect(from(offset, ranges(given))).toEqual(ranges(expected));
});

test.each([
  ["0-9", "", "0-9 new"],
  ["0-9", "0-9", "0-9 held"],
  ["2-5", "0-9", "2-5 held"],
  ["0-9", "5-19", "0-4 new, 5-9 held"],
  ["5-14", "0-9 12-13 20-29", "5-9 held, 10-11 new, 12-13 held, 14-14 new"],
  ["10-19", "0-9 20-29", "10-19 new"],
])("the chunk %s beside %j has the parts %s", (chunk, held, expected) => {
  const [range] = ranges(chunk) as [{ first: number; last: number }];
  const parts = partsOf(range, ranges(held));
  expect(parts.map(({ first, last, held: is }) => `${first}-${last} ${is ? "held" : "new"}`).join(", ")).toBe(expected);
  expect(bytesOf(parts)).toBe(bytesOf([range]));
});
