import { scattered } from "./stage.ts";

test.each([1, 500, 512, 1_000, 100_000, 1_000_000])(
  "of %i places names different ones, over the whole range",
  (count) => {
    const places = scattered(count);
    expect(new Set(places).size).toBe(places.length);
    expect(places).toHaveLength(Math.min(count, 512));
    expect(Math.max(...places)).toBeLessThan(count);
    expect(Math.max(...places)).toBeGreaterThanOrEqual((count - 1) * 0.99);
  },
);
