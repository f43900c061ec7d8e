import { setTimeout as pause } from "node:timers/promises";
import { TcpRelay } from "@sallyport/test-kit/network/tcp-relay";
import { until } from "@sallyport/test-kit/jest/until";
import { codeOf } from "../sample.ts";
import { onEngines } from "./on-engines.ts";

// The server is down, or silent like a frozen machine or an unplugged cable.
onEngines("an unreachable server", (database) => {
  const relayed = async () => {
    const relay = new TcpRelay(new URL(database().url));
    await relay.listen();
    return relay;
  };

  test("a database that refuses connections fails all waiting calls with 704 and recovers with the next call", async () => {
    const relay = await relayed();
    const storage = await database().connect({ url: relay.url, pool: { max: 2 } });
    expect(await storage.repositories.sessions.count()).toBe(0);
    await relay.refuse();
    const calls = Array.from({ length: 20 }, () => codeOf(storage.repositories.sessions.count()));
    expect(new Set(await Promise.all(calls))).toEqual(new Set([704]));
    expect(await codeOf(storage.health())).toBe(704);
    await relay.listen();
    expect(await storage.repositories.sessions.count()).toBe(0);
    await expect(storage.health()).resolves.toBeUndefined();
    await relay.refuse();
  });

  test("a silent database fails new connections with 704 within a time limit", async () => {
    const relay = await relayed();
    relay.answer(false);
    // Long enough to connect on a busy machine.
    const storage = await database().connect({ url: relay.url, connectTimeout: 1_000 });
    expect(await codeOf(storage.health())).toBe(704);
    relay.answer(true);
    await expect(storage.health()).resolves.toBeUndefined();
    await relay.refuse();
  });

  test("a database that becomes silent fails calls and transactions with 704 within a time limit", async () => {
    const relay = await relayed();
    const storage = await database().connect({ url: relay.url, silenceTimeout: 200, pool: { max: 1 } });
    await storage.health();
    relay.answer(false);
    expect(await codeOf(storage.repositories.sessions.count())).toBe(704);
    relay.answer(true);
    const cut = storage.transaction(async (r) => {
      await r.sessions.count();
      relay.answer(false);
      await r.sessions.count();
    });
    expect(await codeOf(cut)).toBe(704);
    relay.answer(true);
    expect(await storage.repositories.sessions.count()).toBe(0);
    await relay.refuse();
  });

  test("a frozen server fails pending requests and later ones with 704, until it answers again", async () => {
    const relay = await relayed();
    const { repositories } = await database().connect({
      url: relay.url,
      // Longer than the test: only the watch over the server tells that it is frozen.
      connectTimeout: 120_000,
      silenceTimeout: 120_000,
      pool: { max: 2 },
    });
    const count = () => codeOf(repositories.sessions.count());
    await Promise.all(Array.from({ length: 4 }, () => repositories.sessions.count()));
    relay.answer(false);
    const later = async (delay: number) => {
      await pause(delay);
      return count();
    };
    // More than the connections of the pool, and some that start just before the server is detected as frozen.
    const delays = [0, 0, 0, 0, 600, 900, 1_500, 3_000];
    expect(await Promise.all(delays.map(later))).toEqual(delays.map(() => 704));
    expect(await count()).toBe(704);
    relay.answer(true);
    await until(async () => (await count()) !== 704, { interval: 50 });
    await relay.refuse();
  }, 30_000);
});
