import { jest } from "@jest/globals";
import { ServiceError } from "@sallyport/storage";
import { type Database, trafficOf } from "@sallyport/core";
import { MemoryStorage } from "@sallyport/storage-memory";
import { ServedDatabases } from "../databases/served-databases.ts";
import { TrafficWriter } from "./traffic-writer.ts";

describe("the traffic of sessions", () => {
  const [minute, session] = [60_000, "a".repeat(64)];
  const traffic = { received: 100, sent: 2_000, idleTimeout: 10 * minute };

  test("of two servers adds up, also if both write at the same time", async () => {
    const storage = new MemoryStorage();
    await storage.migrate();
    const servers = [1, 2].map(() => {
      const database = { storage } as unknown as Database;
      return { database, writer: new TrafficWriter(new ServedDatabases([["", database]])) };
    });
    for (let round = 0; round < 20; round += 1) {
      for (const { database, writer } of servers) writer.transferred(database, session, traffic);
      await Promise.all(servers.map(({ database, writer }) => writer.write(database)));
    }
    await Promise.all(servers.map(({ writer }) => writer.stop()));
    const stored = await trafficOf(storage.repositories, [session, "b".repeat(64)]);
    expect([...stored]).toEqual([[session, { received: 4_000, sent: 80_000 }]]);
  });

  test("is written once a minute, and what an unavailable database misses with the next round", async () => {
    jest.useFakeTimers();
    try {
      const written: unknown[] = [];
      let available = true;
      const records = {
        get: async () => [],
        put: async (_kind: string, _id: string, value: object, { lifetime }: { lifetime: number }) => {
          if (!available) throw new ServiceError(704);
          written.push({ ...value, lifetime });
          return "stored";
        },
      };
      const transaction = (work: (r: object) => Promise<unknown>) => work({ records });
      const database = { alias: "", storage: { transaction } } as unknown as Database;
      const writer = new TrafficWriter(new ServedDatabases([["", database]]));
      writer.start();
      for (let n = 0; n < 1_000; n += 1) writer.transferred(database, session, traffic);
      await jest.advanceTimersByTimeAsync(minute - 1);
      expect(written).toEqual([]);
      available = false;
      await jest.advanceTimersByTimeAsync(minute);
      available = true;
      writer.transferred(database, session, traffic);
      await jest.advanceTimersByTimeAsync(3 * minute);
      await writer.stop();
      expect(written).toEqual([{ received: 100_100, sent: 2_002_000, lifetime: 10 * minute }]);
    } finally {
      jest.useRealTimers();
    }
  });
});
