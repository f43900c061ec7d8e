import { jest } from "@jest/globals";
import fc from "fast-check";
import { changeOf } from "./audit-events.ts";
import { CountCache } from "./database.ts";
import { acceptNetwork, networkOf } from "./network.ts";
import { StoreTime } from "./store-time.ts";

describe("CountCache", () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  const counting = (...counts: number[]) => jest.fn<() => Promise<number>>(async () => counts.shift() ?? -1);

  test("never caches a count up to 5,000", async () => {
    const cache = new CountCache();
    const count = counting(5_000, 4_999);
    expect(await cache.get("a", count)).toBe(5_000);
    expect(await cache.get("a", count)).toBe(4_999);
  });

  test("caches a larger count for ten seconds per key", async () => {
    const cache = new CountCache();
    const count = counting(5_001, 7_000);
    expect(await cache.get("a", count)).toBe(5_001);
    jest.advanceTimersByTime(9_999);
    expect(await cache.get("a", count)).toBe(5_001);
    expect(await cache.get("b", counting(6_000))).toBe(6_000);
    jest.advanceTimersByTime(1);
    expect(await cache.get("a", count)).toBe(7_000);
  });

  test("does not cache a failure", async () => {
    const cache = new CountCache();
    await expect(cache.get("a", () => Promise.reject(new Error("down")))).rejects.toThrow("down");
    expect(await cache.get("a", counting(9_000))).toBe(9_000);
  });
});

describe("store time", () => {
  const at = (iso: string) => Date.parse(iso);

  describe("StoreTime", () => {
    test.each([
      ["UTC", "2026-11-21T06:26:05Z", "20261121T062605+00:00"],
      ["Europe/Berlin", "2026-07-01T22:30:00Z", "20260702T003000+02:00"],
      ["Europe/Berlin", "2026-12-31T23:00:00Z", "20270101T000000+01:00"],
      ["America/St_Johns", "2026-01-01T00:00:00Z", "20251231T203000-03:30"],
      ["Asia/Kathmandu", "2026-01-01T00:00:00Z", "20260101T054500+05:45"],
      // Both sides of a change to winter time.
      ["Europe/Berlin", "2026-10-25T00:59:59Z", "20261025T025959+02:00"],
      ["Europe/Berlin", "2026-10-25T01:00:00Z", "20261025T020000+01:00"],
    ])("%s writes %s as %s", (zone, iso, expected) => {
      expect(new StoreTime(zone).format(at(iso))).toBe(expected);
    });

    test("parses the second that it wrote", () => {
      const times = [new StoreTime("UTC"), new StoreTime("Europe/Berlin"), new StoreTime("Australia/Lord_Howe")];
      const range = { min: at("1971-01-01T00:00:00Z"), max: at("2099-01-01T00:00:00Z") };
      fc.assert(
        fc.property(fc.integer(range), fc.constantFrom(...times), (time, storeTime) => {
          const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)([+-]\d\d:\d\d)$/.exec(storeTime.format(time));
          const [, year, month, day, hour, minute, second, offset] = parts ?? [];
          expect(at(`${year}-${month}-${day}T${hour}:${minute}:${second}${offset}`)).toBe(
            Math.floor(time / 1000) * 1000,
          );
        }),
      );
    });

    test("refuses an unknown time zone", () => {
      expect(() => new StoreTime("Mars/Olympus")).toThrow(RangeError);
    });
  });
});

describe("networks", () => {
  test.each([
    ["203.0.113.7", "203.0.113.7"],
    [" 255.0.10.199 ", "255.0.10.199"],
    ["2001:DB8:0001::7", "2001:db8:1:0::/64"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:db8:1:2::/64", "2001:db8:1:2::/64"],
    ["::1", "0:0:0:0::/64"],
    ["fe80::", "fe80:0:0:0::/64"],
  ])("the address %s stands for %s", (text, network) => {
    expect(acceptNetwork(text)).toBe(network);
    expect(acceptNetwork(network)).toBe(network);
  });

  test.each([
    "",
    "203.0.113",
    "203.0.113.256",
    "203.0.113.07",
    "203.0.113.7.",
    "203.0.113.0/24",
    "host",
    ":",
    ":::",
    "1::2::3",
    "1:2:3:4:5:6:7",
    "1:2:3:4:5:6:7:8:9",
    "1:2:3:4::5:6:7:8",
    "12345::",
    "::ffff:203.0.113.7",
    "::ffff:cb00:7107",
    "0:0:0:0:0:FFFF:cb00:7107",
    "2001:db8::/48",
    "fe80::1%eth0",
  ])("%j is not an address", (text) => {
    expect(() => acceptNetwork(text)).toThrow(expect.objectContaining({ code: 307 }));
  });

  test("every IPv6 address is in one network of its own form", () => {
    fc.assert(
      fc.property(
        fc
          .array(fc.integer({ min: 0, max: 0xff_ff }), { minLength: 8, maxLength: 8 })
          .map((groups) => groups.map((group) => group.toString(16))),
        (groups) => {
          const network = `${groups.slice(0, 4).join(":")}::/64`;
          const compressed = groups.join(":").replace(/(?:^|:)0(?::0)+(?::|$)/, "::");
          expect([networkOf(groups.join(":")), networkOf(compressed), acceptNetwork(compressed)]).toEqual(
            Array(3).fill(network),
          );
        },
      ),
    );
  });
});

describe("an audited value", () => {
  test.each([
    ["a text of 300 characters stays whole", "x".repeat(300), "x".repeat(300)],
    ["line breaks count once", "\n".repeat(300), "\n".repeat(300)],
    ["a longer text is cut", "x".repeat(301), `${"x".repeat(300)}…`],
    ["a pair of surrogates is not cut in two", `${"x".repeat(299)}😀`, `${"x".repeat(299)}…`],
    ["another value is cut as JSON", ["x".repeat(300)], `["${"x".repeat(298)}…`],
  ])("%s", (_title, value, stored) => {
    expect(changeOf("property", "", value)).toEqual([{ name: "property", before: "", after: stored }]);
  });
});
