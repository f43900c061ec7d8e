import fc from "fast-check";
import { decodeCursor, encodeCursor } from "./cursor-text.ts";

const value = fc.oneof(fc.string({ unit: "binary" }), fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0), fc.boolean(), fc.constant(null));
const cursor = fc.record({ query: fc.string(), position: fc.record({ values: fc.array(value), id: fc.string() }) }, { noNullPrototype: true });

test("a cursor comes back as it was, from a text that needs no escapes in addresses", () => {
  fc.assert(
    fc.property(cursor, (given) => {
      const text = encodeCursor(given);
      expect(text).toMatch(/^[A-Za-z0-9_-]+$/);
      expect(decodeCursor(text)).toEqual(given);
    }),
  );
});

const encoded = (json: string) => Buffer.from(json).toString("base64url");

test.each([
  "",
  "a",
  "%%%%",
  "ä",
  " ",
  encoded("{"),
  encoded("{}"),
  encoded("null"),
  encoded("5"),
  encoded("[]"),
  encoded('["q"]'),
  encoded('["q", 5]'),
  encoded('["q", "1", {}]'),
  encoded('["q", "1", []]'),
  encoded('["q", "1", 1e999]'),
  `${encoded('["q","1"]')}=`,
])("%j is no cursor", (text) => {
  expect(decodeCursor(text)).toBeNull();
});

test("any text is a cursor or none", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      decodeCursor(text);
    }),
  );
});
