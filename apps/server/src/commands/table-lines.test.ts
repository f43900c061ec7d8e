import { tableLines } from "./table-lines.ts";

test("columns are as wide as the widest cell, and lines end without blanks", () => {
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

test("a character is one column, whatever it is made of", () => {
  expect(tableLines(["N", "S"], [["\u{10400}ü", "x"]])).toEqual(["N   S", "\u{10400}ü  x"]);
});

test("nothing that a terminal would obey gets through", () => {
  expect(tableLines(["N"], [["\u001B[31mred\r\u202Eturned\u200B"]])[1]).toBe(
    "\\u{1b}[31mred\\u{d}\\u{202e}turned\\u{200b}",
  );
});
