import { createCipheriv, randomBytes } from "node:crypto";
import fc from "fast-check";
import { secureMode } from "@sallyport/test-kit/crypto/secure-mode-vectors";
import { AesCtrChannelCipher } from "./aes-ciphers.ts";

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
