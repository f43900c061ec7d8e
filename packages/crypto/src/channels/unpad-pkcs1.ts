import { createHmac, type KeyObject } from "node:crypto";
import { maskEqual, maskLess, maskZero, select } from "./constant-time.ts";
import type { Unpadded } from "./unpadded.ts";

const lengthCandidates = 128;
const shortestFilling = 8;

/**
 * Takes the padding of PKCS#1 v1.5 (RFC 8017, 7.2.2) off a raw block, with implicit rejection: when the padding is wrong,
 * the message is pseudo-random, made from the private key and the cipher block, the same whenever that block comes
 * again. So whoever tries altered blocks gets a message in any case and cannot tell a right padding from a wrong one
 * (Bleichenbacher's attack). The algorithm is that of OpenSSL 3.2 and later, byte for byte.
 *
 * @param rejectionKey HMAC key: SHA-256 of the private exponent, padded to the length of a block
 */
export function unpadPkcs1(block: Uint8Array, cipherBlock: Uint8Array, rejectionKey: KeyObject): Unpadded {
  const size = block.length;
  const derived = createHmac("sha256", rejectionKey).update(cipherBlock).digest();
  const substitute = expand(derived, "message", size);
  const substituteStart = size - substituteLength(expand(derived, "length", 2 * lengthCandidates), size);

  let separator = 0;
  let found = 0;
  for (let at = 2; at < size; at++) {
    const zero = maskZero(block[at] ?? 0);
    separator = select(zero & ~found, at, separator);
    found |= zero;
  }
  const start = maskZero(block[0] ?? 1) & maskEqual(block[1] ?? 0, 2);
  const good = start & found & ~maskLess(separator, 2 + shortestFilling);

  const message = block.map((byte, at) => select(good, byte, substitute[at] ?? 0));
  return { good, message: message.subarray(select(good, separator + 1, substituteStart)) };
}

/** The last candidate that is a possible length, so that all lengths are about equally probable. */
function substituteLength(candidates: Uint8Array, size: number): number {
  const longest = size - 2 - shortestFilling;
  const bits = 2 ** Math.ceil(Math.log2(longest + 1)) - 1;
  let length = 0;
  for (let at = 0; at < candidates.length; at += 2) {
    const candidate = (((candidates[at] ?? 0) << 8) | (candidates[at + 1] ?? 0)) & bits;
    length = select(maskLess(candidate, longest), candidate, length);
  }
  return length;
}

/** Pseudo-random bytes: HMAC over counter, label and wanted bits, block by block. */
function expand(key: Uint8Array, label: string, length: number): Uint8Array {
  const step = 32;
  const input = Buffer.alloc(4 + label.length);
  input.write(label, 2, "latin1");
  input.writeUInt16BE(length * 8, 2 + label.length);
  const bytes = new Uint8Array(Math.ceil(length / step) * step);
  for (let counter = 0; counter * step < length; counter++) {
    input.writeUInt16BE(counter, 0);
    bytes.set(createHmac("sha256", key).update(input).digest(), counter * step);
  }
  return bytes.subarray(0, length);
}
