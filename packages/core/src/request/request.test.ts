import { jest } from "@jest/globals";
import fc from "fast-check";
import { BoundedQueue } from "./bounded-work.ts";
import { CountCache } from "./database.ts";
import { acceptNetwork, networkOf } from "./network.ts";
import { StoreTime } from "./store-time.ts";

const detail = "Too much work waits.";

/** Work that runs until it is ended. */
class Controlled {
  readonly started: number[] = [];
  private readonly ends: ((error?: Error) => void)[] = [];

  work(id: number): () => Promise<number> {
    return () => {
      this.started.push(id);
      return new Promise((resolve, reject) => {
        this.ends[id] = (error) => (error === undefined ? resolve(id) : reject(error));
      });
    };
  }

  end(id: number, error?: Error): void {
    this.ends[id]?.(error);
  }
}

test("a bounded queue runs the allowed number at once, in the order of arrival", async () => {
  const controlled = new Controlled();
  const queue = new BoundedQueue({ concurrency: 2, queueLimit: 10, detail });
  const runs = [0, 1, 2, 3].map((id) => queue.run(controlled.work(id)));
  expect(controlled.started).toEqual([0, 1]);
  controlled.end(1);
  await runs[1];
  expect(controlled.started).toEqual([0, 1, 2]);
  controlled.end(0);
  await runs[0];
  expect(controlled.started).toEqual([0, 1, 2, 3]);
  controlled.end(2);
  controlled.end(3);
  expect(await Promise.all(runs)).toEqual([0, 1, 2, 3]);
});

test("a bounded queue refuses work with 706 while it is full, and accepts work again when there is room", async () => {
  const controlled = new Controlled();
  const queue = new BoundedQueue({ concurrency: 1, queueLimit: 1, detail });
  const first = queue.run(controlled.work(0));
  const second = queue.run(controlled.work(1));
  await expect(queue.run(controlled.work(2))).rejects.toMatchObject({ code: 706, detail, retryAfter: 1 });
  controlled.end(0);
  await first;
  const third = queue.run(controlled.work(3));
  controlled.end(1);
  await second;
  expect(controlled.started).toEqual([0, 1, 3]);
  controlled.end(3);
  expect(await third).toBe(3);
});

test("a bounded queue passes an error on and frees the slot", async () => {
  const controlled = new Controlled();
  const queue = new BoundedQueue({ concurrency: 1, queueLimit: 1, detail });
  const first = queue.run(controlled.work(0));
  const second = queue.run(controlled.work(1));
  controlled.end(0, new Error("broken"));
  await expect(first).rejects.toThrow("broken");
  controlled.end(1);
  expect(await second).toBe(1);
});

test("a bounded queue refuses work whose signal aborts while it waits, and starts the next one", async () => {
  const controlled = new Controlled();
  const queue = new BoundedQueue({
    concurrency: 1,
    queueLimit: 2,
    detail,
    abortedDetail: "It took too long.",
    retryAfter: 5,
  });
  const aborted = { code: 706, detail: "It took too long.", retryAfter: 5 };
  const leaving = new AbortController();
  const first = queue.run(controlled.work(0), new AbortController().signal);
  const left = queue.run(controlled.work(1), leaving.signal);
  const next = queue.run(controlled.work(2), new AbortController().signal);
  await expect(queue.run(controlled.work(3), AbortSignal.abort())).rejects.toMatchObject({ code: 706, detail });
  leaving.abort();
  await expect(left).rejects.toMatchObject(aborted);
  await expect(queue.run(controlled.work(4), AbortSignal.abort())).rejects.toMatchObject(aborted);
  controlled.end(0);
  await first;
  controlled.end(2);
  expect(await next).toBe(2);
  expect(controlled.started).toEqual([0, 2]);
  expect(await queue.run(async () => "free again")).toBe("free again");
});

test("a bounded queue ignores a signal that aborts after the work began", async () => {
  const controlled = new Controlled();
  const queue = new BoundedQueue({ concurrency: 1, queueLimit: 1, detail });
  const leaving = new AbortController();
  const first = queue.run(controlled.work(0));
  const second = queue.run(controlled.work(1), leaving.signal);
  controlled.end(0);
  await first;
  const third = queue.run(controlled.work(2));
  leaving.abort();
  controlled.end(1);
  expect(await second).toBe(1);
  controlled.end(2);
  expect(await third).toBe(2);
});

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
  ])("%j is no address", (text) => {
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
