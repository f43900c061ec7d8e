import fc from "fast-check";
import { maskEqual, maskLess, maskSameBytes, maskZero, select } from "./unpadding.ts";

const number = fc.oneof(fc.nat(255), fc.nat(2 ** 30), fc.constantFrom(0, 1, 2 ** 30));
const mask = (yes: boolean) => (yes ? -1 : 0);

test("masks say what comparisons with branches say", () => {
  fc.assert(
    fc.property(number, number, (a, b) => {
      for (const [one, two] of [
        [a, b],
        [a, a],
      ] as const) {
        expect(maskZero(one)).toBe(mask(one === 0));
        expect(maskEqual(one, two)).toBe(mask(one === two));
        expect(maskLess(one, two)).toBe(mask(one < two));
        expect(select(-1, one, two)).toBe(one);
        expect(select(0, one, two)).toBe(two);
      }
    }),
  );
});

test("bytes are the same or not", () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 1, maxLength: 40 }),
      fc.nat(39),
      fc.integer({ min: 1, max: 255 }),
      (bytes, at, change) => {
        const changed = bytes.map((byte, index) => (index === at % bytes.length ? byte ^ change : byte));
        expect(maskSameBytes(bytes, bytes.slice())).toBe(-1);
        expect(maskSameBytes(bytes, changed)).toBe(0);
        expect(maskSameBytes(bytes, bytes.subarray(1))).toBe(0);
      },
    ),
  );
});
