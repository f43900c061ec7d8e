import fc from "fast-check";
import { judged, openedChannel } from "./channels.ts";
import type { ChannelRow } from "./tables.ts";

const opened = () => openedChannel("digest", { wrappedKey: "wrapped", ivPrefix: Uint8Array.of(1, 2, 3) });
const highest = 2n ** 64n - 1n;

/** Steps from one number to the next: small, about the size of the window, or large. */
const step = fc.oneof(
  fc.integer({ min: -5, max: 5 }),
  fc.integer({ min: -1_030, max: 1_030 }),
  fc.integer({ min: 0, max: 2 ** 40 }),
);

test("judges numbers like an unbounded set of accepted numbers", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: highest }), fc.array(step, { maxLength: 60 }), (start, steps) => {
      let record: ChannelRow = opened();
      let number = start;
      const numbers = new Set<bigint>();
      for (const each of steps) {
        const top = numbers.size === 0 ? -1n : [...numbers].reduce((one, other) => (other > one ? other : one));
        const expected = number <= top - 1_024n ? "old" : numbers.has(number) ? "seen" : "fresh";
        const { verdict, after } = judged(record, number);
        expect(verdict).toBe(expected);
        if (expected === "fresh") numbers.add(number);
        record = after;
        number = [0n, number + BigInt(each), highest].toSorted((one, other) =>
          one < other ? -1 : one > other ? 1 : 0,
        )[1] as bigint;
      }
    }),
  );
});

test("keeps the record of a refused number unchanged", () => {
  const { after } = judged(opened(), 5_000n);
  for (const number of [5_000n, 3_976n, 0n]) expect(judged(after, number).after).toBe(after);
});
