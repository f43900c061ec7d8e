import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { unpadPkcs7 } from "./unpadding.ts";

test("takes off right padding of every length", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 70 }), (plain) => {
      const count = 16 - (plain.length % 16);
      const { good, message } = unpadPkcs7(Buffer.concat([plain, Buffer.alloc(count, count)]));
      expect(good).toBe(-1);
      expect([...message]).toEqual([...plain]);
    }),
  );
});

test.each(Array.from({ length: 16 }, (_, index) => index + 1))("finds every wrong byte of a padding of %i", (count) => {
  const right = Buffer.concat([randomBytes(48 - count), Buffer.alloc(count, count)]);
  for (let back = 2; back <= count; back++) {
    const wrong = Buffer.from(right);
    wrong.writeUInt8(wrong.readUInt8(48 - back) ^ 1, 48 - back);
    expect(unpadPkcs7(wrong).good).toBe(0);
  }
});

test.each([0, 17, 32, 128, 255])("finds a last byte of %i wrong", (count) => {
  expect(unpadPkcs7(Buffer.alloc(256, count)).good).toBe(0);
});
