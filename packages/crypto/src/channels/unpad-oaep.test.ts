import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { padOaep } from "../../test/pad-oaep.ts";
import { decryptRaw, encryptBlocks } from "../../test/rsa-blocks.ts";
import { privateKeyOf, publicKeyOf, serverPair } from "../../test/stored-keys.ts";
import { unpadOaep } from "./unpadding.ts";

const hashes = fc.constantFrom("sha1", "sha256");
const size = 256;
const overhead = { sha1: 42, sha256: 66 };
const bytes = (message: Uint8Array) => [...message];

test("takes off what OpenSSL puts on", () => {
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

test("takes off padding by hand, for every length and block size", () => {
  fc.assert(
    fc.property(hashes, fc.constantFrom(256, 257, 384, 512), fc.nat(500), (hashName, blockSize, length) => {
      const plain = randomBytes(Math.min(length, blockSize - overhead[hashName]));
      const { good, message } = unpadOaep(padOaep(plain, blockSize, hashName), hashName);
      expect(good).toBe(-1);
      expect(bytes(message)).toEqual(bytes(plain));
    }),
  );
});

describe("finds wrong", () => {
  const plain = Buffer.from("a message");

  test.each(["sha1", "sha256"] as const)(
    "every bit of the label's digest, the first byte and the filling (%s)",
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

  test("another bit of the block, wherever it is", () => {
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
