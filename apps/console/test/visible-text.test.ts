import { visibleText } from "../src/language/visible-text.ts";

test.each([
  ["a name", "a name"],
  ["two\nlines\tand a tab", "two\nlines\tand a tab"],
  ["nul\0", "nul␀"],
  ["escape\u001b[31m", "escape␛[31m"],
  ["invoice\u202egnp.exe", "invoice[U+202E]gnp.exe"],
  ["\u200eadmin\u200b", "[U+200E]admin[U+200B]"],
  ["\u2067right\u2069", "[U+2067]right[U+2069]"],
  ["שלום, مرحبا", "שלום, مرحبا"],
  ["می\u200cخواهم 👨\u200d👩", "می\u200cخواهم 👨\u200d👩"],
])("shows each character of %j", (text, expected) => {
  expect(visibleText(text)).toBe(expected);
});
