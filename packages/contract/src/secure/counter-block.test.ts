import fc from "fast-check";
import { buildCounterBlock, directions, parseCounterBlock } from "./counter-block.ts";

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
const ivPrefix = Uint8Array.of(0x14, 0x5e, 0xe1);

const parts = fc.record({
  direction: fc.constantFrom(directions.toServer, directions.toClient),
  ivPrefix: fc.uint8Array({ minLength: 3, maxLength: 3 }),
  message: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  block: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
});

test.each([
  [{ direction: 1, ivPrefix, message: 0n, block: 0 }, "01145ee1000000000000000000000000"],
  [{ direction: 2, ivPrefix, message: 2n ** 40n, block: 0 }, "02145ee1000001000000000000000000"],
  [{ direction: 2, ivPrefix, message: 2n ** 64n - 1n, block: 2 ** 32 - 1 }, "02145ee1ffffffffffffffffffffffff"],
  [{ direction: 1, ivPrefix, message: 0x0102030405060708n, block: 0x090a0b0c }, "01145ee10102030405060708090a0b0c"],
] as const)("lays out %p", (block, expected) => {
  expect(hex(buildCounterBlock(block))).toBe(expected);
});

test("is read as it was built", () => {
  fc.assert(
    fc.property(parts, (block) => {
      expect(parseCounterBlock(buildCounterBlock(block))).toEqual(block);
    }),
  );
});

test("any bytes that can be read are built the same again; others have a wrong length or direction", () => {
  const first = fc.oneof(fc.constantFrom(1, 2), fc.nat(255));
  fc.assert(
    fc.property(first, fc.uint8Array({ minLength: 13, maxLength: 17 }), (direction, rest) => {
      const bytes = Uint8Array.of(direction, ...rest);
      const block = parseCounterBlock(bytes);
      if (block === undefined) expect(bytes.length !== 16 || ![1, 2].includes(direction)).toBe(true);
      else expect(buildCounterBlock(block)).toEqual(bytes);
    }),
  );
});

test("reads a view into other bytes, and keeps nothing of them", () => {
  const around = new Uint8Array(40).fill(7);
  around.set(buildCounterBlock({ direction: 2, ivPrefix, message: 5n, block: 1 }), 9);
  const block = parseCounterBlock(around.subarray(9, 25));
  around.fill(0);
  expect(block).toEqual({ direction: 2, ivPrefix, message: 5n, block: 1 });
});

test.each([
  ["direction", { direction: 3 as 1 }],
  ["short prefix", { ivPrefix: new Uint8Array(2) }],
  ["long prefix", { ivPrefix: new Uint8Array(4) }],
  ["negative message", { message: -1n }],
  ["message beyond eight bytes", { message: 2n ** 64n }],
  ["negative block", { block: -1 }],
  ["block beyond four bytes", { block: 2 ** 32 }],
  ["broken block", { block: 0.5 }],
  ["block that is no number", { block: Number.NaN }],
])("refuses to build a %s", (_name, wrong) => {
  expect(() => buildCounterBlock({ direction: 1, ivPrefix, message: 0n, block: 0, ...wrong })).toThrow(RangeError);
});
