import { randomBytes, createSecretKey } from "node:crypto";
import { decryptRaw, encryptBlocks } from "@sallyport/test-kit/crypto/rsa-blocks";
import fc from "fast-check";
import { padOaep } from "./pad-oaep.ts";
import { timeDifference } from "./paired-timing.ts";
import { privateKeyOf, publicKeyOf, serverPair } from "./stored-keys.ts";
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
} from "../src/channels/unpadding.ts";

/** Removal of paddings in constant time. */
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

  test.each(Array.from({ length: 15 }, (_, index) => index + 2))(
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
