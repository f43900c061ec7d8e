import { decodeUtf8 } from "./json.ts";

const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, "hex"));

test.each([
  ["", ""],
  ["6b65c3bc", "keü"],
  ["efbbbf61", "\ufeffa"],
  ["f09f91a9", "\u{1f469}"],
])("reads %s", (hex, text) => {
  expect(decodeUtf8(bytes(hex))).toBe(text);
});

test.each(["c3", "ff", "eda080", "c080", "61f09f91"])("does not take %s", (hex) => {
  expect(decodeUtf8(bytes(hex))).toBeUndefined();
});
