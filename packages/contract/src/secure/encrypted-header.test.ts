import fc from "fast-check";
import { formatEncryptedHeader, parseEncryptedHeader } from "./encrypted-header.ts";

const zeros = "AAAAAAAAAAAAAAAAAAAAAA==";

test("says the version alone, or with a counter block", () => {
  expect(formatEncryptedHeader()).toBe("v=1");
  expect(formatEncryptedHeader({ iv: new Uint8Array(16) })).toBe(`v=1;iv=${zeros}`);
  expect(() => formatEncryptedHeader({ iv: new Uint8Array(15) })).toThrow(RangeError);
});

test("is read as it was written", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (iv) => {
      expect(parseEncryptedHeader(formatEncryptedHeader({ iv }))).toEqual({ iv: Uint8Array.from(iv) });
    }),
  );
  expect(parseEncryptedHeader("v=1")).toEqual({});
});

test.each([" v=1\t", "V=1", `v=1; iv=${zeros}`, `V=1 ;\tIV=${zeros} `])("tolerates %j", (value) => {
  expect(parseEncryptedHeader(value)).toBeDefined();
});

test.each([
  "",
  "1",
  "v",
  "v=",
  "v=2",
  "v=01",
  "v=1.0",
  "v=10",
  "v=1;",
  "v=1;;",
  "v =1",
  "v= 1",
  "v=1,v=1",
  `v=1, v=1;iv=${zeros}`,
  `v=1,iv=${zeros}`,
  `v=1 iv=${zeros}`,
  `iv=${zeros}`,
  `iv=${zeros};v=1`,
  "v=1;iv=",
  "v=1;iv",
  `v=1;iv= ${zeros}`,
  `v=1;iv="${zeros}"`,
  `v=1;iv=${zeros};`,
  `v=1;iv=${zeros};iv=${zeros}`,
  `v=1;iv=${zeros};seq=1`,
  `v=1;v=1;iv=${zeros}`,
  "v=1;iv=AAAAAAAAAAAAAAAAAAAAAA",
  "v=1;iv=AAAAAAAAAAAAAAAAAAAAAA=",
  "v=1;iv=AAAAAAAAAAAAAAAAAAAAAB==",
  "v=1;iv=AAAAAAAAAAAAAAAAAAAAA===",
  "v=1;iv=AAAAAAAAAAAAAAAAAAAAAAA=",
  "v=1;iv=AAAAAAAAAAAAAAAAAAAA",
  "v=1;iv=AAAAAAAAAA_AAAAAAAAA-A==",
  `v=1;iv=${zeros}\n`,
  "v=1\n",
  "v=1\u00a0",
  "ｖ=1",
  `v=1;iv=${zeros}${" ".repeat(100)}`,
  "v=1;iv=[object Object]",
])("refuses %j", (value) => {
  expect(parseEncryptedHeader(value)).toBeUndefined();
});

test("what is read without blanks and capitals in names is written the same again", () => {
  const piece = fc.constantFrom("v=1", "V=1", ";", " ", "iv=", zeros, "=", ",", "A", "2", "\t", "-");
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
      const value = pieces.join("");
      const header = parseEncryptedHeader(value);
      if (header === undefined) return;
      const bare = value.replaceAll(/[ \t]/g, "").replace(/^V/, "v");
      expect(formatEncryptedHeader(header)).toBe(bare);
    }),
    { numRuns: 5_000 },
  );
});

test("answers at once, however long the value", () => {
  // What took time with the square of the length would take hours.
  const started = performance.now();
  expect(parseEncryptedHeader(`v=1${" ".repeat(1_000_000)};`)).toBeUndefined();
  expect(performance.now() - started).toBeLessThan(50);
});
