import { tableLines } from "./table-lines.ts";

test("columns are as wide as the widest cell, and lines have no trailing blanks", () => {
  expect(
    tableLines(
      ["NAME", "STATE"],
      [
        ["a", "enabled"],
        ["field service", ""],
      ],
    ),
  ).toEqual(["NAME           STATE", "a              enabled", "field service"]);
});

test("a character takes one column, however it is composed", () => {
  expect(tableLines(["N", "S"], [["\u{10400}ü", "x"]])).toEqual(["N   S", "\u{10400}ü  x"]);
});

test("control characters for a terminal are escaped", () => {
  expect(tableLines(["N"], [["\u001B[31mred\r\u202Eturned\u200B"]])[1]).toBe(
    "\\u{1b}[31mred\\u{d}\\u{202e}turned\\u{200b}",
  );
});
