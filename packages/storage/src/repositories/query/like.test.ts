import { like } from "./like.ts";

test.each([
  ["abc", "abc", true],
  ["abc", "abcd", false],
  ["abc", "ABC", false],
  ["", "", true],
  ["", "a", false],
  ["%", "", true],
  ["%", "a\nb", true],
  ["_", "\u{1f600}", true],
  ["_", "", false],
  ["__", "\u{1f600}", false],
  ["a%c", "abcbc", true],
  ["%b_", "abcbd", true],
  ["%b_", "abb", true],
  ["%a%b%", "xbxaxbx", true],
  ["%a%b", "ba", false],
  ["100\\%", "100%", true],
  ["100\\%", "1000", false],
  ["a\\_b", "a_b", true],
  ["a\\_b", "axb", false],
  ["a\\\\b", "a\\b", true],
  ["\\a", "a", true],
  ["\\\\%", "\\anything", true],
])("%j and %j", (pattern, text, expected) => {
  expect(like(pattern)(text)).toBe(expected);
});

test("matches a pattern with many parts in little time", () => {
  // A backtracking matcher would never end.
  const start = performance.now();
  expect(like(`${"%a".repeat(2_000)}%b`)("a".repeat(20_000))).toBe(false);
  expect(performance.now() - start).toBeLessThan(1_000);
});
