import { maskEqual, maskLess, maskZero } from "./constant-time.ts";

const blockLength = 16;

/** Takes PKCS#7 padding off whole blocks of 16 bytes: every byte that could be padding is looked at, then one verdict. */
export function unpadPkcs7(blocks: Uint8Array): Uint8Array | undefined {
  const last = blocks.length - 1;
  const count = blocks[last] ?? 0;
  let good = ~maskZero(count) & ~maskLess(blockLength, count);
  for (let back = 0; back < blockLength; back++) {
    good &= ~maskLess(back, count) | maskEqual(blocks[last - back] ?? -1, count);
  }
  return good ? blocks.subarray(0, blocks.length - count) : undefined;
}
