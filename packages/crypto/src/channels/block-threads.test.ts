import { EventEmitter } from "node:events";
import { jest } from "@jest/globals";

class FakeWorker extends EventEmitter {
  static readonly started: FakeWorker[] = [];
  readonly requests: unknown[] = [];
  keepsAlive = true;
  constructor() {
    super();
    FakeWorker.started.push(this);
  }
  postMessage(request: unknown): void {
    this.requests.push(request);
  }
  ref(): void {
    this.keepsAlive = true;
  }
  unref(): void {
    this.keepsAlive = false;
  }
  async terminate(): Promise<number> {
    this.emit("exit", 1);
    return 1;
  }
}

jest.unstable_mockModule("node:worker_threads", () => ({ Worker: FakeWorker }));
const { BlockThreads } = await import("./block-threads.ts");

const { started } = FakeWorker;
const request = { bytes: new Uint8Array(256), keys: [] };
const opened = { keyIndex: 0, padding: "OAEP-SHA-256", plain: new Uint8Array() } as const;
const answer = (worker = started.at(-1)) => worker?.emit("message", { opened });
const turn = () =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

beforeEach(() => started.splice(0));

test("starts a thread on demand, and reuses it", async () => {
  const threads = new BlockThreads({ threads: 2 });
  expect(started).toHaveLength(0);
  for (let round = 0; round < 3; round++) {
    const opening = threads.open(request);
    expect(started[0]?.keepsAlive).toBe(true);
    answer();
    expect(await opening).toBe(opened);
    expect(started[0]?.keepsAlive).toBe(false);
  }
  expect(started).toHaveLength(1);
  expect(started[0]?.requests).toHaveLength(3);
});

test("starts at most the allowed number, and gives each one request at a time", async () => {
  const threads = new BlockThreads({ threads: 2 });
  const opening = [1, 2, 3, 4].map(() => threads.open(request));
  expect(started.map(({ requests }) => requests.length)).toEqual([1, 1]);
  answer(started[1]);
  await turn();
  expect(started.map(({ requests }) => requests.length)).toEqual([1, 2]);
  answer(started[0]);
  await turn();
  expect(started.map(({ requests }) => requests.length)).toEqual([2, 2]);
  for (const worker of started) answer(worker);
  expect(await Promise.all(opening)).toEqual([opened, opened, opened, opened]);
  expect(started).toHaveLength(2);
});

test.each([
  ["with an error", (worker: FakeWorker) => worker.emit("error", new Error("no memory")), "no memory"],
  ["at once", (worker: FakeWorker) => worker.emit("exit", 7), "the thread for RSA ended (7)"],
])(
  "a thread that ends %s fails its request, and the next request starts another thread",
  async (_name, end, reason) => {
    const threads = new BlockThreads({ threads: 1 });
    const failing = threads.open(request);
    const [worker] = started;
    if (worker === undefined) throw new Error("nothing started");
    end(worker);
    await expect(failing).rejects.toThrow(reason);
    const opening = threads.open(request);
    expect(started).toHaveLength(2);
    answer();
    expect(await opening).toBe(opened);
  },
);

test("a thread that ends while idle is replaced, too", async () => {
  const threads = new BlockThreads({ threads: 1 });
  const first = threads.open(request);
  answer();
  await first;
  started[0]?.emit("exit", 0);
  const second = threads.open(request);
  expect(started).toHaveLength(2);
  answer();
  expect(await second).toBe(opened);
});

test("a request that cannot be served fails, and its thread continues", async () => {
  const threads = new BlockThreads({ threads: 1 });
  const failing = threads.open(request);
  started[0]?.emit("message", { failed: "a reason" });
  await expect(failing).rejects.toThrow("RSA failed: a reason");
  const opening = threads.open(request);
  answer();
  expect(await opening).toBe(opened);
  expect(started).toHaveLength(1);
});

test("closing ends all threads, their work and the queue", async () => {
  const threads = new BlockThreads({ threads: 1, queueLimit: 5 });
  const results = Promise.allSettled([threads.open(request), threads.open(request)]);
  await threads.close();
  expect((await results).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  await expect(threads.open(request)).rejects.toThrow("closed");
  expect(started).toHaveLength(1);
});
