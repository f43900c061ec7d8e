import fc from "fast-check";
import { decodeBase64, encodeBase64 } from "./base64.ts";

test("writes what every other encoder writes, and reads it", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
      const text = encodeBase64(bytes);
      expect(text).toBe(Buffer.from(bytes).toString("base64"));
      expect(decodeBase64(text)).toEqual(Uint8Array.from(bytes));
    }),
  );
});

test("reads a text only if it is the one spelling of its bytes", () => {
  const digits = fc.constantFrom(..."ABQgwz09+/=-_ \n\u{1f600}");
  fc.assert(
    fc.property(fc.array(digits, { maxLength: 12 }), (characters) => {
      const text = characters.join("");
      const bytes = decodeBase64(text);
      if (bytes === undefined) expect(Buffer.from(text, "base64").toString("base64")).not.toBe(text);
      else expect(Buffer.from(bytes).toString("base64")).toBe(text);
    }),
    { numRuns: 2_000 },
  );
});

test.each(["A", "AA", "AAA", "AA=", "AB==", "AAB=", "A===", "====", "AA==AAAA", "AA-_", "AAA=\n", " AAA", "AAÄ="])(
  "refuses %j",
  (text) => {
    expect(decodeBase64(text)).toBeUndefined();
  },
);
