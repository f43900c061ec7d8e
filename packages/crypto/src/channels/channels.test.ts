import { createCipheriv, randomBytes } from "node:crypto";
import { EventEmitter } from "node:events";
import { syncBuiltinESMExports } from "node:module";
import workerThreads from "node:worker_threads";
import { secureMode } from "@sallyport/test-kit/crypto/secure-mode-vectors";
import fc from "fast-check";
import { AesCtrChannelCipher } from "./aes-ciphers.ts";
import { BlockThreads } from "./block-threads.ts";

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

const { Worker } = workerThreads;
const startWith = (worker: unknown) => {
  Object.assign(workerThreads, { Worker: worker });
  syncBuiltinESMExports();
};
startWith(FakeWorker);
afterAll(() => startWith(Worker));

const { started } = FakeWorker;
const request = { bytes: new Uint8Array(256), keys: [] };
const reply = { opened: { keyIndex: 0, padding: "OAEP-SHA-256", plain: new Uint8Array() }, milliseconds: 1 } as const;
const answer = (worker = started.at(-1)) => worker?.emit("message", reply);
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
    expect(await opening).toBe(reply);
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
  expect(await Promise.all(opening)).toEqual([reply, reply, reply, reply]);
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
    expect(await opening).toBe(reply);
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
  expect(await second).toBe(reply);
});

test("a request that cannot be served fails, and its thread continues", async () => {
  const threads = new BlockThreads({ threads: 1 });
  const failing = threads.open(request);
  started[0]?.emit("message", { failed: "a reason" });
  await expect(failing).rejects.toThrow("RSA failed: a reason");
  const opening = threads.open(request);
  answer();
  expect(await opening).toBe(reply);
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

describe("aes ctr channel cipher", () => {
  const cipher = new AesCtrChannelCipher();
  const key = randomBytes(32);
  const bytes = (base64: string) => Buffer.from(base64, "base64");

  function counterBlock(block: number): Buffer {
    const counter = Buffer.alloc(16, 0xff);
    counter.writeUInt32BE(block, 12);
    return counter;
  }

  async function collect(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
    const all: Uint8Array[] = [];
    for await (const piece of pieces) all.push(piece);
    return Buffer.concat(all);
  }

  test.each(secureMode.traffic)("matches the vector of direction $direction, message $message, both ways", (vector) => {
    const [symmetricKey, iv] = [bytes(vector.symmetricKey), bytes(vector.iv)];
    const encrypted = cipher.apply(symmetricKey, iv, bytes(vector.plainBase64));
    expect(Buffer.from(encrypted).toString("base64")).toBe(vector.cipherBase64);
    const plain = cipher.apply(symmetricKey, iv, bytes(vector.cipherBase64));
    expect(Buffer.from(plain).toString("base64")).toBe(vector.plainBase64);
  });

  test("restores the input when applied twice, in one piece or in many", async () => {
    const pieces = fc.array(fc.uint8Array({ maxLength: 70 }), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(pieces, fc.nat(2 ** 20), async (list, block) => {
        const message = Buffer.concat(list);
        const whole = cipher.apply(key, counterBlock(block), message);
        expect(Buffer.from(cipher.apply(key, counterBlock(block), whole)).equals(message)).toBe(true);
        expect((await collect(cipher.applyToStream(key, counterBlock(block), list))).equals(whole)).toBe(true);
      }),
    );
  });

  test("numbers the blocks in the last four bytes, up to the last number and not beyond", async () => {
    const [first, last] = [counterBlock(2 ** 32 - 2), counterBlock(2 ** 32 - 1)];
    const message = randomBytes(32);
    const single = (counter: Buffer, piece: Buffer) => createCipheriv("aes-256-ctr", key, counter).update(piece);
    const expected = Buffer.concat([single(first, message.subarray(0, 16)), single(last, message.subarray(16))]);
    expect(Buffer.from(cipher.apply(key, first, message)).equals(expected)).toBe(true);

    const longer = Buffer.concat([message, Buffer.of(0)]);
    expect(() => cipher.apply(key, first, longer)).toThrow(RangeError);
    expect(() => cipher.apply(key, last, message)).toThrow(RangeError);
    await expect(collect(cipher.applyToStream(key, first, [message, Buffer.of(0)]))).rejects.toThrow(RangeError);
    expect((await collect(cipher.applyToStream(key, first, [message]))).equals(expected)).toBe(true);
  });

  test("pulls a piece of a stream on demand only, and ends the source when the consumer stops", async () => {
    const events: string[] = [];
    async function* source() {
      try {
        for (let number = 0; number < 1_000; number++) {
          events.push(`piece ${number}`);
          yield Buffer.alloc(1_024);
        }
      } finally {
        events.push("ended");
      }
    }
    for await (const piece of cipher.applyToStream(key, counterBlock(0), source())) {
      expect(piece).toHaveLength(1_024);
      break;
    }
    expect(events).toEqual(["piece 0", "ended"]);
  });

  test.each([
    ["a short key", randomBytes(31), counterBlock(0)],
    ["a key for AES-128", randomBytes(16), counterBlock(0)],
    ["a long key", randomBytes(33), counterBlock(0)],
    ["a short counter block", key, randomBytes(15)],
    ["a long counter block", key, randomBytes(17)],
  ])("refuses %s", (_name, wrongKey, wrongBlock) => {
    expect(() => cipher.apply(wrongKey, wrongBlock, Buffer.of(1))).toThrow(RangeError);
    expect(() => cipher.applyToStream(wrongKey, wrongBlock, [])).toThrow(RangeError);
  });
});
