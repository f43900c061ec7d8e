import fc from "fast-check";
import { compareKeys, keyAfter, keyOf, type KeyPart, rangeOf } from "./keys.ts";

const text = fc.string({
  unit: fc.constantFrom(
    "\u0001",
    "\u0002",
    "\u0003",
    "a",
    "b",
    "é",
    "\ud7ff",
    "\ue000",
    "\uffff",
    "\u{10000}",
    "\u{10ffff}",
  ),
  maxLength: 4,
});
const number = fc.oneof(fc.integer(), fc.double({ noNaN: true }), fc.constantFrom(0, -0, 1, -1, Number.MAX_VALUE));
/** Keys of one table: a text, a number, a text. */
const parts = fc.tuple(text, number, text);

function compareParts(one: readonly KeyPart[], other: readonly KeyPart[]): number {
  for (const [index, part] of one.entries()) {
    const against = other[index] as KeyPart;
    const order =
      typeof part === "string"
        ? Buffer.compare(Buffer.from(part), Buffer.from(String(against)))
        : part - Number(against);
    if (order !== 0) return Math.sign(order);
  }
  return 0;
}

const bytes = (key: string) => Buffer.from(key);

test("compares texts by their UTF-8 bytes", () => {
  fc.assert(
    fc.property(text, text, (one, other) => {
      expect(Math.sign(compareKeys(one, other))).toBe(Buffer.compare(bytes(one), bytes(other)));
    }),
  );
});

test("keys have the order of their parts", () => {
  fc.assert(
    fc.property(parts, parts, (one, other) => {
      const [first, second] = [keyOf(one), keyOf(other)];
      expect(Math.sign(compareKeys(first, second))).toBe(compareParts(one, other));
    }),
    { numRuns: 1_000 },
  );
});

test("a range contains the keys with its first parts, and no other", () => {
  fc.assert(
    fc.property(parts, parts, fc.integer({ min: 1, max: 3 }), (one, other, length) => {
      const beginning = one.slice(0, length);
      const { from = "", to = "" } = rangeOf(beginning);
      const key = keyOf(other);
      const isInside = compareKeys(from, key) <= 0 && compareKeys(key, to) < 0;
      expect(isInside).toBe(compareParts(beginning, other) === 0);
    }),
    { numRuns: 1_000 },
  );
});

test("no key is between a key and the one after it", () => {
  fc.assert(
    fc.property(parts, parts, (one, other) => {
      const [key, next, another] = [keyOf(one), keyAfter(keyOf(one)), keyOf(other)];
      expect(compareKeys(key, next)).toBeLessThan(0);
      expect(compareKeys(key, another) < 0 && compareKeys(another, next) < 0).toBe(false);
    }),
  );
});
