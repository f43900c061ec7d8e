import { jest } from "@jest/globals";
import { CountCache } from "./database.ts";

describe("CountCache", () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  const counting = (...counts: number[]) => jest.fn<() => Promise<number>>(async () => counts.shift() ?? -1);

  test("never remembers a count up to 5,000", async () => {
    const cache = new CountCache();
    const count = counting(5_000, 4_999);
    expect(await cache.get("a", count)).toBe(5_000);
    expect(await cache.get("a", count)).toBe(4_999);
  });

  test("remembers a larger one for ten seconds, per key", async () => {
    const cache = new CountCache();
    const count = counting(5_001, 7_000);
    expect(await cache.get("a", count)).toBe(5_001);
    jest.advanceTimersByTime(9_999);
    expect(await cache.get("a", count)).toBe(5_001);
    expect(await cache.get("b", counting(6_000))).toBe(6_000);
    jest.advanceTimersByTime(1);
    expect(await cache.get("a", count)).toBe(7_000);
  });

  test("does not remember a failure", async () => {
    const cache = new CountCache();
    await expect(cache.get("a", () => Promise.reject(new Error("down")))).rejects.toThrow("down");
    expect(await cache.get("a", counting(9_000))).toBe(9_000);
  });
});
