import { growthOf } from "@sallyport/test-kit/cost/growth";
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

test("a pattern with many parts is matched without backtracking", () => {
  // A backtracking matcher would never end.
  const match = (parts: number) => expect(like(`${"%a".repeat(parts)}%b`)("a".repeat(10 * parts))).toBe(false);
  // 8 if it is linear, 64 if it is quadratic.
  expect(growthOf(match, 2_000, 16_000)).toBeLessThan(128);
});
