import { parseIfMatch } from "./fields.ts";

test.each([
  [undefined, null],
  ["*", null],
  [" * ", null],
  ['"1"', [1]],
  ['"2147483647"', [2_147_483_647]],
  ['"1","2" ,\t"3"', [1, 2, 3]],
  ['W/"1"', []],
  ['W/"1", "2"', [2]],
  ['"01"', []],
  ['"0"', []],
  ['"-1"', []],
  ['"1.0"', []],
  ['"12345678901"', []],
  ['"abc", "7"', [7]],
  ['"1,2"', []],
  ['""', []],
  ["", []],
  ["1", []],
  ['"1', []],
  ['"1" "2"', []],
  ['"1",', []],
  ['*, "1"', []],
  ['w/"1"', []],
  ["'1'", []],
])("takes %j for %j", (header, versions) => {
  expect(parseIfMatch(header)).toEqual(versions);
});

test("takes no longer for a header that almost fits", () => {
  // What took time with the square of the length would take hours.
  const start = performance.now();
  expect(parseIfMatch(`${'"1" , '.repeat(200_000)}x`)).toEqual([]);
  expect(performance.now() - start).toBeLessThan(2_000);
});
