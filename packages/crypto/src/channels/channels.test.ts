import { createCipheriv, randomBytes, createSecretKey } from "node:crypto";
import { EventEmitter } from "node:events";
import { syncBuiltinESMExports } from "node:module";
import workerThreads from "node:worker_threads";
import { decryptRaw, encryptBlocks } from "@sallyport/test-kit/crypto/rsa-blocks";
import { secureMode } from "@sallyport/test-kit/crypto/secure-mode-vectors";
import fc from "fast-check";
import { padOaep } from "../../test/pad-oaep.ts";
import { timeDifference } from "../../test/paired-timing.ts";
import { privateKeyOf, publicKeyOf, serverPair } from "../../test/stored-keys.ts";
import { AesCtrChannelCipher } from "./aes-ciphers.ts";
import { BlockThreads } from "./block-threads.ts";
import {
  maskEqual,
  maskLess,
  maskSameBytes,
  maskZero,
  mgf1,
  select,
  unpadOaep,
  unpadPkcs1,
  unpadPkcs7,
} from "./unpadding.ts";

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

describe("unpadding", () => {
  describe("constant time", () => {
    const number = fc.oneof(fc.nat(255), fc.nat(2 ** 30), fc.constantFrom(0, 1, 2 ** 30));
    const mask = (yes: boolean) => (yes ? -1 : 0);

    test("masks agree with comparisons by branches", () => {
      fc.assert(
        fc.property(number, number, (a, b) => {
          for (const [one, two] of [
            [a, b],
            [a, a],
          ] as const) {
            expect(maskZero(one)).toBe(mask(one === 0));
            expect(maskEqual(one, two)).toBe(mask(one === two));
            expect(maskLess(one, two)).toBe(mask(one < two));
            expect(select(-1, one, two)).toBe(one);
            expect(select(0, one, two)).toBe(two);
          }
        }),
      );
    });

    test("compares bytes for equality", () => {
      fc.assert(
        fc.property(
          fc.uint8Array({ minLength: 1, maxLength: 40 }),
          fc.nat(39),
          fc.integer({ min: 1, max: 255 }),
          (bytes, at, change) => {
            const changed = bytes.map((byte, index) => (index === at % bytes.length ? byte ^ change : byte));
            expect(maskSameBytes(bytes, bytes.slice())).toBe(-1);
            expect(maskSameBytes(bytes, changed)).toBe(0);
            expect(maskSameBytes(bytes, bytes.subarray(1))).toBe(0);
          },
        ),
      );
    });
  });

  describe("OAEP unpadding", () => {
    const hashes = fc.constantFrom("sha1", "sha256");
    const size = 256;
    const overhead = { sha1: 42, sha256: 66 };
    const bytes = (message: Uint8Array) => [...message];

    test("removes the padding of OpenSSL", () => {
      const pair = serverPair("rsa-2048");
      fc.assert(
        fc.property(hashes, fc.uint8Array({ maxLength: 190 }), (hashName, plain) => {
          const block = encryptBlocks(publicKeyOf(pair), hashName === "sha1" ? "OAEP-SHA-1" : "OAEP-SHA-256", plain);
          const { good, message } = unpadOaep(decryptRaw(privateKeyOf(pair), block), hashName);
          expect(good).toBe(-1);
          expect(bytes(message)).toEqual(bytes(plain));
        }),
        { numRuns: 50 },
      );
    });

    test("removes independently built padding, for every length and block size", () => {
      fc.assert(
        fc.property(hashes, fc.constantFrom(256, 257, 384, 512), fc.nat(500), (hashName, blockSize, length) => {
          const plain = randomBytes(Math.min(length, blockSize - overhead[hashName]));
          const { good, message } = unpadOaep(padOaep(plain, blockSize, hashName), hashName);
          expect(good).toBe(-1);
          expect(bytes(message)).toEqual(bytes(plain));
        }),
      );
    });

    describe("rejects", () => {
      const plain = Buffer.from("a message");

      test.each(["sha1", "sha256"] as const)(
        "every changed bit of the label's digest, the first byte and the filling (%s)",
        (hashName) => {
          expect(unpadOaep(padOaep(plain, size, hashName, { first: 1 }), hashName).good).toBe(0);
          expect(unpadOaep(padOaep(plain, size, hashName, { first: 128 }), hashName).good).toBe(0);
          expect(unpadOaep(padOaep(plain, size, hashName, { label: "other" }), hashName).good).toBe(0);
          expect(unpadOaep(padOaep(plain, size, hashName, { separator: 0 }), hashName).good).toBe(0);
          expect(unpadOaep(padOaep(plain, size, hashName, { separator: 2 }), hashName).good).toBe(0);
          expect(unpadOaep(padOaep(plain, size, hashName, { filling: 3 }), hashName).good).toBe(0);
          expect(unpadOaep(padOaep(Buffer.alloc(100), size, hashName, { separator: 0 }), hashName).good).toBe(0);
        },
      );

      test("every changed bit of the block", () => {
        const block = padOaep(plain, size, "sha256");
        for (let bit = 0; bit < size * 8; bit += 7) {
          const changed = Buffer.from(block);
          changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
          expect(unpadOaep(changed, "sha256").good).toBe(0);
        }
      });

      test("the other hash", () => {
        expect(unpadOaep(padOaep(plain, size, "sha1"), "sha256").good).toBe(0);
        expect(unpadOaep(padOaep(plain, size, "sha256"), "sha1").good).toBe(0);
      });

      test("arbitrary blocks", () => {
        for (let index = 0; index < 200; index++) {
          expect(unpadOaep(randomBytes(size).fill(0, 0, 1), "sha256").good).toBe(0);
          expect(unpadOaep(randomBytes(size).fill(0, 0, 1), "sha1").good).toBe(0);
        }
      });
    });
  });

  describe("PKCS#1 unpadding", () => {
    const rejectionKey = createSecretKey(randomBytes(32));
    const size = 256;
    const cipherBlock = randomBytes(size);
    const filling = (length: number) => randomBytes(length).map((byte) => byte || 1);
    const padded = (message: Uint8Array, { start = [0, 2], fill = size - 3 - message.length } = {}) =>
      Buffer.concat([Buffer.from(start), filling(fill), Buffer.of(0), message]);

    test("removes correct padding for any message", () => {
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: size - 11 }), (plain) => {
          const { good, message } = unpadPkcs1(padded(plain), cipherBlock, rejectionKey);
          expect(good).toBe(-1);
          expect([...message]).toEqual([...plain]);
        }),
      );
    });

    const longest = Buffer.alloc(size - 11, 7);
    const wrong: [string, Buffer][] = [
      ["a first byte of 1", padded(longest, { start: [1, 2] })],
      ["a second byte of 1", padded(longest, { start: [0, 1] })],
      ["a second byte of 0", padded(longest, { start: [0, 0] })],
      ["both bytes wrong", padded(longest, { start: [2, 0] })],
      ["a filling of seven bytes", padded(Buffer.alloc(size - 10, 7), { fill: 7 })],
      ["no filling", padded(Buffer.alloc(size - 3, 7), { fill: 0 })],
      ["no separator", Buffer.concat([Buffer.of(0, 2), filling(size - 2)])],
      ["zeros", Buffer.alloc(size)],
    ];

    test.each(wrong)(
      "with %s returns a pseudo-random message that depends on key and cipher block alone",
      (_name, block) => {
        const { good, message } = unpadPkcs1(block, cipherBlock, rejectionKey);
        expect(good).toBe(0);
        for (const [, other] of wrong)
          expect([...unpadPkcs1(other, cipherBlock, rejectionKey).message]).toEqual([...message]);
        const others = [
          unpadPkcs1(block, randomBytes(size), rejectionKey),
          unpadPkcs1(block, cipherBlock, createSecretKey(randomBytes(32))),
        ];
        for (const other of others) expect([...other.message]).not.toEqual([...message]);
      },
    );

    test("returns pseudo-random messages of every possible length", () => {
      const lengths = Array.from(
        { length: 3_000 },
        () => unpadPkcs1(Buffer.alloc(size), randomBytes(size), rejectionKey).message.length,
      );
      expect(Math.max(...lengths)).toBeLessThanOrEqual(size - 11);
      const mean = lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
      // Evenly distributed over 0 to 245: the mean of 3,000 has a standard deviation of 1.3.
      expect(Math.abs(mean - 122.5)).toBeLessThan(10);
      expect(new Set(lengths).size).toBeGreaterThan(230);
    });
  });

  test("PKCS#7 unpadding removes correct padding of every length", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 70 }), (plain) => {
        const count = 16 - (plain.length % 16);
        const { good, message } = unpadPkcs7(Buffer.concat([plain, Buffer.alloc(count, count)]));
        expect(good).toBe(-1);
        expect([...message]).toEqual([...plain]);
      }),
    );
  });

  test.each(Array.from({ length: 16 }, (_, index) => index + 1))(
    "PKCS#7 unpadding rejects every wrong byte of a padding of %i",
    (count) => {
      const right = Buffer.concat([randomBytes(48 - count), Buffer.alloc(count, count)]);
      for (let back = 2; back <= count; back++) {
        const wrong = Buffer.from(right);
        wrong.writeUInt8(wrong.readUInt8(48 - back) ^ 1, 48 - back);
        expect(unpadPkcs7(wrong).good).toBe(0);
      }
    },
  );

  test.each([0, 17, 32, 128, 255])("PKCS#7 unpadding rejects a last byte of %i", (count) => {
    expect(unpadPkcs7(Buffer.alloc(256, count)).good).toBe(0);
  });

  describe("unpadding time", () => {
    const pairs = 1_500;
    /** Standard deviations. A difference of a few per cent of the work is far beyond this. */
    const noticeable = 8;
    const size = 256;
    const message = Buffer.from("the message of a block");
    const filling = (length: number) => randomBytes(length).map((byte) => byte || 1);

    const oaep: Record<string, () => Uint8Array> = {
      right: () => padOaep(message, size, "sha256"),
      "wrong in its first byte": () => padOaep(message, size, "sha256", { first: 1 }),
      "wrong in its label": () => padOaep(message, size, "sha256", { label: "other" }),
      "without a separator": () => padOaep(message, size, "sha256", { separator: 2 }),
      "right and full": () => padOaep(Buffer.alloc(190), size, "sha256"),
      arbitrary: () => randomBytes(size).fill(0, 0, 1),
    };

    const pkcs1: Record<string, () => Uint8Array> = {
      right: () => Buffer.concat([Buffer.of(0, 2), filling(size - 25), Buffer.of(0), message]),
      "wrong in its first byte": () => Buffer.concat([Buffer.of(1, 2), filling(size - 25), Buffer.of(0), message]),
      "wrong in its second byte": () => Buffer.concat([Buffer.of(0, 1), filling(size - 25), Buffer.of(0), message]),
      "wrong by an early separator": () => Buffer.concat([Buffer.of(0, 2, 1, 0), filling(size - 4)]),
      "without a separator": () => Buffer.concat([Buffer.of(0, 2), filling(size - 2)]),
      arbitrary: () => randomBytes(size),
    };

    test.each(Object.entries(oaep))("OAEP that is %s takes as long as OAEP that is wrong at its end", (_name, one) => {
      const other = () => padOaep(Buffer.alloc(0), size, "sha256", { separator: 0 });
      const z = timeDifference({ pairs, one, other, work: (block) => unpadOaep(block, "sha256") });
      expect(z).toBeLessThan(noticeable);
    });

    test.each(Object.entries(pkcs1))("PKCS#1 v1.5 that is %s takes as long as an arbitrary block", (_name, one) => {
      const rejectionKey = createSecretKey(randomBytes(32));
      const cipherBlock = randomBytes(size);
      const work = (block: Uint8Array) => unpadPkcs1(block, cipherBlock, rejectionKey);
      expect(timeDifference({ pairs, one, other: () => randomBytes(size), work })).toBeLessThan(noticeable);
    });

    test("the measurement detects code that stops at a wrong first byte", () => {
      const earlyExit = (block: Uint8Array) => {
        if (block[0] === 0) mgf1(block.subarray(33), 32, "sha256");
        return mgf1(block.subarray(33), size - 33, "sha256");
      };
      const [one, other] = [oaep["right"], oaep["wrong in its first byte"]] as [() => Uint8Array, () => Uint8Array];
      expect(timeDifference({ pairs, one, other, work: earlyExit })).toBeGreaterThan(noticeable);
    });
  });
});
