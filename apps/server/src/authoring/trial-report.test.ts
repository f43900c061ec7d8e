import { faultExcerpt } from "./trial.ts";

const text = Array.from({ length: 10 }, (_, index) => `\tline(${index + 1});`).join("\n");

test("the line is shown between its neighbours, with a mark below the column", () => {
  expect(faultExcerpt(text, 9, 3)).toEqual([
    "   7 | \tline(7);",
    "   8 | \tline(8);",
    ">  9 | \tline(9);",
    "     | \t ^",
    "  10 | \tline(10);",
  ]);
});

test("there is nothing before the first line and behind the last", () => {
  expect(faultExcerpt(text, 1, 1)).toEqual(["> 1 | \tline(1);", "    | ^", "  2 | \tline(2);", "  3 | \tline(3);"]);
  expect(faultExcerpt("one", 1, 4)).toEqual(["> 1 | one", "    |    ^"]);
});
