import { jest } from "@jest/globals";
import { ServiceError } from "@sallyport/storage";
import { type Database, type RefusedRequest } from "@sallyport/core";
import { RefusalWriter } from "./refusal-writer.ts";

describe("writer of explanations", () => {
  const refused = (n: number, network: string) =>
    ({
      requestId: `${network} ${n}`,
      network,
      error: new ServiceError(302),
      items: [],
      at: 0,
    }) as unknown as RefusedRequest;

  /** A database that counts writes by network. */
  function counting(retention: number, write: () => Promise<string> = async () => "stored") {
    const written = new Map<string, number>();
    const putWithin = (_kind: string, _id: string, _value: unknown, { owner }: { owner: string }) => {
      written.set(owner, (written.get(owner) ?? 0) + 1);
      return write();
    };
    const storage = { repositories: { records: { putWithin } } };
    const database = { policy: { explanations: { retention, perNetwork: 5 } }, storage } as unknown as Database;
    return { written, database };
  }

  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  test("turns a flood of refusals into a bounded number of writes per second, and leaves room for other networks", async () => {
    const outcomes = new Map<string, number>();
    const writer = new RefusalWriter(10, (each) => void outcomes.set(each, (outcomes.get(each) ?? 0) + 1));
    const { written, database } = counting(1_000);
    const flood = () => {
      for (let n = 0; n < 5_000; n += 1) writer.refused(database, refused(n, "192.0.2.1"));
      writer.refused(database, refused(0, "192.0.2.2"));
    };
    flood();
    await jest.advanceTimersByTimeAsync(500);
    expect([...written]).toEqual([
      ["192.0.2.1", 5],
      ["192.0.2.2", 1],
    ]);
    flood();
    await jest.advanceTimersByTimeAsync(500);
    expect(written.get("192.0.2.1")).toBe(5);
    await jest.advanceTimersByTimeAsync(100);
    expect(written.get("192.0.2.1")).toBe(10);
    expect(Object.fromEntries(outcomes)).toEqual({ dropped: 2 * 4_995, stored: 12 });
  });

  test("starts no second write while one hangs, and goes on after a failed one", async () => {
    const outcomes: string[] = [];
    const writer = new RefusalWriter(4, (each) => void outcomes.push(each));
    let fail = (_error: Error): void => {};
    const { written, database } = counting(1_000, () => {
      return new Promise((_resolve, reject) => {
        fail = reject;
      });
    });
    writer.refused(database, refused(0, "192.0.2.1"));
    await jest.advanceTimersByTimeAsync(100);
    writer.refused(database, refused(1, "192.0.2.1"));
    await jest.advanceTimersByTimeAsync(60_000);
    expect(written.get("192.0.2.1")).toBe(1);
    fail(new ServiceError(704));
    await jest.advanceTimersByTimeAsync(1_000);
    expect(written.get("192.0.2.1")).toBe(2);
    fail(new ServiceError(704));
    await writer.stop();
    expect(outcomes).toEqual(["failed", "failed"]);
  });

  test("writes what waits at the stop, and nothing later or without a retention", async () => {
    const writer = new RefusalWriter(4, () => {});
    const [kept, off] = [counting(1_000), counting(0)];
    for (const { database } of [kept, off]) writer.refused(database, refused(0, "192.0.2.1"));
    await writer.stop();
    writer.refused(kept.database, refused(1, "192.0.2.1"));
    await jest.advanceTimersByTimeAsync(10_000);
    expect([kept.written.get("192.0.2.1"), off.written.size]).toEqual([1, 0]);
  });
});
