import { createSecretKey, randomBytes } from "node:crypto";
import fc from "fast-check";
import { unpadPkcs1 } from "./unpadding.ts";

const rejectionKey = createSecretKey(randomBytes(32));
const size = 256;
const cipherBlock = randomBytes(size);
const filling = (length: number) => randomBytes(length).map((byte) => byte || 1);
const padded = (message: Uint8Array, { start = [0, 2], fill = size - 3 - message.length } = {}) =>
  Buffer.concat([Buffer.from(start), filling(fill), Buffer.of(0), message]);

test("takes off right padding, whatever the message holds", () => {
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

test.each(wrong)("with %s gives a pseudo-random message that depends on key and cipher block alone", (_name, block) => {
  const { good, message } = unpadPkcs1(block, cipherBlock, rejectionKey);
  expect(good).toBe(0);
  for (const [, other] of wrong)
    expect([...unpadPkcs1(other, cipherBlock, rejectionKey).message]).toEqual([...message]);
  const others = [
    unpadPkcs1(block, randomBytes(size), rejectionKey),
    unpadPkcs1(block, cipherBlock, createSecretKey(randomBytes(32))),
  ];
  for (const other of others) expect([...other.message]).not.toEqual([...message]);
});

test("gives pseudo-random messages of every length that a real one could have", () => {
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
