import { maskEqual, maskLess, maskZero, select } from "./constant-time.ts";
import type { Unpadded } from "./unpadded.ts";

const blockLength = 16;

/** Takes PKCS#7 padding off whole blocks of 16 bytes: every byte that could be padding is looked at, then one verdict. */
export function unpadPkcs7(blocks: Uint8Array): Unpadded {
  const last = blocks.length - 1;
  const count = blocks[last] ?? 0;
  let good = ~maskZero(count) & ~maskLess(blockLength, count);
  for (let back = 0; back < blockLength; back++) {
    good &= ~maskLess(back, count) | maskEqual(blocks[last - back] ?? 0, count);
  }
  return { good, message: blocks.subarray(0, blocks.length - select(good, count, 0)) };
}
