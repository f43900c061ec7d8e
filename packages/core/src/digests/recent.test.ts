import { Recent } from "./recent.ts";

test("remembers what was set or asked for lately, and no more than twice the number", () => {
  const recent = new Recent<number, string>(10);
  for (let key = 0; key < 100; key += 1) {
    recent.set(key, `value ${key}`);
    expect(recent.get(0)).toBe("value 0");
    for (let last = Math.max(0, key - 3); last <= key; last += 1) expect(recent.get(last)).toBe(`value ${last}`);
  }
  const kept = Array.from({ length: 100 }, (_, key) => recent.get(key)).filter((value) => value !== undefined);
  expect(kept.length).toBeLessThanOrEqual(20);
  expect(recent.get(1)).toBeUndefined();
});
