import { MemoryStorage } from "@sallyport/storage-memory";
import { DatabaseLimits } from "../../src/capacity/database-limits.ts";
import { type RateKeys, RequestRates } from "../../src/capacity/request-rates.ts";

/** Rates of requests. */
describe("request rates", () => {
  const off = { perMinute: 0, burst: 0 };
  const ofAddress = (perMinute: number, burst = 0) => ({ address: { perMinute, burst }, appKey: off, session: off });
  const keys = (more: Partial<RateKeys> = {}): RateKeys => ({
    address: "192.0.2.1",
    appKey: "1",
    session: null,
    ...more,
  });
  let time: number;
  let storage: MemoryStorage;
  let refusals: string[];
  beforeEach(async () => {
    time = 1_000;
    refusals = [];
    storage = new MemoryStorage({ clockOffset: () => time });
    await storage.migrate();
  });

  const server = (shares = true) => new RequestRates(shares ? storage.repositories.records : null, () => time);
  /** The code of a request, or its time to wait in seconds. */
  const take = async (rates: RequestRates, rateKeys = keys(), ...counts: number[]): Promise<number> => {
    try {
      await rates.take(rateKeys, (kind, key) => refusals.push(`${kind} ${key}`), ...counts);
      return 0;
    } catch (error) {
      expect(error).toMatchObject({ code: 800 });
      return (error as { retryAfter: number }).retryAfter;
    }
  };
  const takeMany = async (count: number, one: () => Promise<number>) => {
    const answers = [];
    for (let index = 0; index < count; index += 1) answers.push(await one());
    return answers.filter((wait) => wait === 0).length;
  };

  /** Reports are on their way behind the answers. In memory they end before the next turn of the event loop. */
  const reported = () =>
    new Promise((resolve) => {
      setImmediate(resolve);
    });

  test.each([
    [60, 1, 1, 1],
    [60, 10, 10, 1],
    [600, 0, 600, 1],
    [1, 3, 3, 60],
    [7, 5, 5, 9],
  ])("of %i per minute with a burst of %i accept exactly %i at once, then one after %i s", async (...args) => {
    const [perMinute, burst, atOnce, wait] = args;
    const rates = server(false);
    rates.apply(ofAddress(perMinute, burst));
    expect(await takeMany(atOnce, () => take(rates))).toBe(atOnce);
    expect(await take(rates)).toBe(wait);
    time += 60_000 / perMinute - 1;
    expect(await take(rates)).toBe(1);
    time += 1;
    expect([await take(rates), await take(rates)]).toEqual([0, wait]);
    expect(await take(rates, keys({ address: "192.0.2.2" }))).toBe(0);
    // A pause earns no more than the burst.
    time += 3_600_000;
    expect(await takeMany(atOnce + 1, () => take(rates))).toBe(atOnce);
    expect(rates.refused).toEqual({ address: 4, appKey: 0, session: 0 });
  });

  test("count a request with all keys or with none", async () => {
    const rates = server(false);
    const limit = (perMinute: number) => ({ perMinute, burst: 0 });
    rates.apply({ address: limit(100), appKey: limit(2), session: limit(1) });
    const [one, other] = ["a", "b"].map((session) => keys({ session }));
    expect(await take(rates, one)).toBe(0);
    expect(await takeMany(5, () => take(rates, one))).toBe(0);
    // The refused requests cost the app key nothing.
    expect([await take(rates, other), await take(rates, other)]).toEqual([0, 60]);
    expect(await take(rates, keys())).toBe(30);
    expect(rates.refused).toEqual({ address: 0, appKey: 2, session: 6 });
    expect(refusals).toEqual(["session a", "appKey 1", "session b"]);
  });

  test("count several requests together or not at all, and a repetition finds its tokens", async () => {
    const rates = server(false);
    rates.apply(ofAddress(60, 20));
    const together = () => take(rates, keys(), 14, 15);
    expect(await takeMany(19, () => take(rates))).toBe(19);
    expect([await together(), await together()]).toEqual([14, 14]);
    time += 14_000;
    expect([await take(rates), await together(), await take(rates)]).toEqual([0, 0, 1]);
  });

  test("report a refused key once a minute", async () => {
    const rates = server(false);
    rates.apply(ofAddress(1, 1));
    for (const later of [0, 1, 1, 55_000, 60_000, 1]) {
      time += later;
      await take(rates);
    }
    expect(refusals).toEqual(["address 192.0.2.1", "address 192.0.2.1"]);
  });

  test.each([1, 3, 8, 10, 40, 101])("of a burst of %i exceed it by at most a quarter per server", async (burst) => {
    const servers = Array.from({ length: 3 }, () => server());
    for (const rates of servers) rates.apply(ofAddress(1, burst));
    const accepted = await Promise.all(
      servers.flatMap((rates) => Array.from({ length: 2 * burst }, () => take(rates))),
    );
    const count = accepted.filter((wait) => wait === 0).length;
    expect(count).toBeGreaterThanOrEqual(burst);
    expect(count).toBeLessThanOrEqual(burst + 3 * Math.ceil(burst / 4));
    await reported();
    // The excess is earned back before the next request.
    time += (count - burst) * 60_000 + 59_000;
    for (const rates of servers) expect(await take(rates)).toBeLessThanOrEqual(1);
  });

  test("shared by two servers in turns refuse nothing at the rate, and nothing a server alone accepts", async () => {
    const [one, other] = [server(), server()];
    for (const rates of [one, other]) rates.apply(ofAddress(60, 20));
    for (let second = 0; second < 50; second += 1) {
      expect(await take(second % 2 === 0 ? one : other)).toBe(0);
      await reported();
      time += 1_000;
    }
    // Reports that come late count requests when they arrived.
    expect(await takeMany(3, () => take(one))).toBe(3);
    await reported();
    time += 3_600_000;
    expect(await takeMany(21, () => take(one))).toBe(20);
  });

  test("need a statement per run, and none for a few requests", async () => {
    const { records } = storage.repositories;
    let statements = 0;
    const counted = new Proxy(records, {
      get: (target, name) => {
        statements += 1;
        return Reflect.get(target, name);
      },
    });
    const rates = new RequestRates(counted, () => time);
    rates.apply(ofAddress(8_000, 8_000));
    for (let count = 0; count < 999; count += 1) await take(rates, keys({ address: `192.0.2.${count % 9}` }));
    expect(statements).toBe(0);
    for (let count = 0; count < 4_000; count += 1) await take(rates);
    expect(statements).toBeGreaterThan(1);
    expect(statements).toBeLessThanOrEqual(10);
  });

  test("count alone while reports fail, and share again afterwards", async () => {
    let broken = true;
    const { records } = storage.repositories;
    const failing = new Proxy(records, {
      get: (target, name) => (broken ? () => Promise.reject(new Error("lost")) : Reflect.get(target, name)),
    });
    const rates = new RequestRates(failing, () => time);
    const other = server();
    for (const each of [rates, other]) each.apply(ofAddress(1, 8));
    expect(await takeMany(12, () => take(rates))).toBe(8);
    broken = false;
    time += 60_000;
    expect([await take(rates), await take(rates)]).toEqual([0, 60]);
    expect(await takeMany(12, () => take(other))).toBeLessThanOrEqual(2);
  });

  test("begin with full buckets after a change, and keep the others", async () => {
    const rates = server();
    const both = { ...ofAddress(1, 4), session: { perMinute: 1, burst: 1 } };
    rates.apply(both);
    const one = keys({ session: "a" });
    expect(await takeMany(3, () => take(rates))).toBe(3);
    expect([await take(rates, one), await take(rates, one)]).toEqual([0, 60]);
    rates.apply({ ...both, address: { perMinute: 2, burst: 4 } });
    expect([await take(rates, one), await take(rates)]).toEqual([60, 0]);
    rates.apply({ ...both, address: off });
    expect(await takeMany(20, () => take(rates))).toBe(20);
    rates.apply({ ...both, address: off, session: off });
    expect([rates.active, await take(rates, one)]).toEqual([false, 0]);
  });

  test("forget the keys used least recently beyond 20,000", async () => {
    const rates = server(false);
    rates.apply(ofAddress(1, 1));
    expect([await take(rates), await take(rates)]).toEqual([0, 60]);
    for (let count = 0; count < 9_000; count += 1) await take(rates, keys({ address: `a${count}` }));
    expect(await take(rates)).toBe(60);
    for (let count = 0; count < 20_000; count += 1) await take(rates, keys({ address: `b${count}` }));
    expect(await take(rates)).toBe(0);
  });

  test("are loaded once per generation, also if an earlier load ends last", async () => {
    const sessions = { idleTimeout: 1, absoluteLifetime: 1, limit: 3, perUserLimit: 0, perDevice: 1 };
    const limits = new DatabaseLimits({ sessions }, null);
    const { records } = storage.repositories;
    const waiting: (() => void)[] = [];
    const slow = new Proxy(records, {
      get:
        (target, name) =>
        async (...args: unknown[]) => {
          const answer = await Reflect.get(target, name).apply(target, args);
          await new Promise<void>((resolve) => {
            waiting.push(resolve);
          });
          return answer;
        },
    });
    const at = (settingsGeneration: number) => limits.current({ r: { records: slow }, settingsGeneration });
    const [before, same] = [at(1), at(1)];
    expect(before).toBe(same);
    await new Promise(setImmediate);
    await records.put("limits", "current", {
      "sessions.limit": 5,
      "rates.address.perMinute": 9,
      later: 1,
      "sessions.perDevice": 0,
    });
    const after = at(2);
    await new Promise(setImmediate);
    waiting.pop()?.();
    expect(await after).toMatchObject({ generation: 2, sessions: { limit: 5, perDevice: 1, idleTimeout: 1 } });
    waiting.pop()?.();
    expect(await before).toMatchObject({ generation: 1, sessions: { limit: 3 } });
    expect(limits.current({ r: { records }, settingsGeneration: 2 })).toBe(await after);
    expect(limits.rates.active).toBe(true);
  });
});
