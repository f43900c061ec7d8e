import fc from "fast-check";
import { OrderedMap } from "./ordered-map.ts";

const key = fc.integer({ min: 0, max: 2_000 }).map((number) => number.toString(36));
const end = fc.option(key, { nil: undefined });
const step = fc.record({ key, value: fc.option(fc.nat(), { nil: null }) });

function changed(map: OrderedMap<number>, { key: at, value }: { key: string; value: number | null }) {
  return value === null ? map.without(at) : map.with(at, value);
}

test("holds what a map holds, in order, and earlier versions stay as they are", () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 0, maxLength: 1_500, size: "max" }), end, end, (steps, from, to) => {
      const expected = new Map<string, number>();
      let map = OrderedMap.empty<number>();
      let [half, ofHalf] = [map, [] as (readonly [string, number])[]];
      for (const [index, each] of steps.entries()) {
        map = changed(map, each);
        if (each.value === null) expected.delete(each.key);
        else expected.set(each.key, each.value);
        if (index === steps.length >> 1) [half, ofHalf] = [map, [...map.ascending(undefined, undefined)]];
      }
      const inRange = [...expected]
        .filter(([at]) => (from === undefined || at >= from) && (to === undefined || at < to))
        .toSorted(([one], [other]) => (one < other ? -1 : 1));
      expect([...map.ascending(from, to)]).toEqual(inRange);
      expect([...map.descending(from, to)]).toEqual(inRange.toReversed());
      expect(map.count(from, to)).toBe(inRange.length);
      expect(map.size).toBe(expected.size);
      for (const [at, value] of expected) expect(map.get(at)).toBe(value);
      expect(map.get("not there")).toBeUndefined();
      expect([...half.ascending(undefined, undefined)]).toEqual(ofHalf);
    }),
    { numRuns: 50 },
  );
});
