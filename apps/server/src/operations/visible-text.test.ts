import { visibleText } from "./visible-text.ts";

test.each([
  ["a colour", "\u001b[31mred\u001b[0m", "\\u001b[31mred\\u001b[0m"],
  ["a second line", "one\r\ntwo", "one\\u000d\\u000atwo"],
  ["a bell, a tabulator and a delete", "\u0007\t\u007f", "\\u0007\\u0009\\u007f"],
  ["a control sequence of eight bits", "\u009b2J", "\\u009b2J"],
  ["a turn of direction", "exe.\u202egnp\u2066x\u200f\u061c", "exe.\\u202egnp\\u2066x\\u200f\\u061c"],
  ["separators of lines", "a\u2028b\u2029c\u0085d", "a\\u2028b\\u2029c\\u0085d"],
  ["half a character", "\ud800x", "\\ud800x"],
])("%s is spelled out", (_title, text, seen) => {
  expect(visibleText(text)).toBe(seen);
});

test("letters of any script and signs stay", () => {
  const text = 'Ünïcödé 漢字 عربي 🙂 "quoted" \\ ~';
  expect(visibleText(text)).toBe(text);
});
