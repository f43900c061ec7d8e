import fc from "fast-check";
import { AcceptedNumbers, OutgoingNumbers } from "./secure-session.ts";

test("counts from 0", () => {
  const numbers = new OutgoingNumbers();
  expect([numbers.next(), numbers.next(), numbers.next()]).toEqual([0n, 1n, 2n]);
});

const near = fc.bigInt({ min: 0n, max: 40n });
const far = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });

test("takes every number once, whatever the order and the gaps", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof({ weight: 4, arbitrary: near }, far), { maxLength: 200 }), (numbers) => {
      const accepted = new AcceptedNumbers();
      const reference = new Set<bigint>();
      for (const number of numbers) {
        expect(accepted.accept(number)).toBe(!reference.has(number));
        reference.add(number);
      }
    }),
    { numRuns: 500 },
  );
});

test("remembers the first of a million", () => {
  const accepted = new AcceptedNumbers();
  for (let number = 0n; number < 1_000_000n; number += 1n) accepted.accept(number);
  expect([0n, 1n, 500_000n, 999_999n].map((number) => accepted.accept(number))).toEqual([false, false, false, false]);
  expect(accepted.accept(1_000_000n)).toBe(true);
});
