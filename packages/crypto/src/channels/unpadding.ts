import { createHmac, hash, type KeyObject } from "node:crypto";

/** What a padding turned out to hold. */
export interface Unpadded {
  /** A mask: -1 if the padding was right, 0 if not. Not to be branched upon for PKCS#1 v1.5. */
  readonly good: number;
  /** The message; something of no meaning where the padding was wrong. */
  readonly message: Uint8Array;
}

export type OaepHash = "sha1" | "sha256";

const emptyLabel = { sha1: hash("sha1", "", "buffer"), sha256: hash("sha256", "", "buffer") };

/**
 * Takes OAEP off a raw block (RFC 8017, 7.1.2): MGF1 with the same hash, empty label. Everything is computed and every byte
 * is looked at before the verdict, which says no more than yes or no: to tell a wrong first byte from the rest would be
 * enough to decrypt any block (Manger's attack).
 */
export function unpadOaep(block: Uint8Array, hashName: OaepHash): Unpadded {
  const label = emptyLabel[hashName];
  const masked = block.subarray(1 + label.length);
  const seed = xor(block.subarray(1, 1 + label.length), mgf1(masked, label.length, hashName));
  const data = xor(masked, mgf1(seed, masked.length, hashName));
  let good = maskZero(block[0] ?? 1) & maskSameBytes(data.subarray(0, label.length), label);
  let found = 0;
  let start = data.length;
  for (let at = label.length; at < data.length; at++) {
    const byte = data[at] ?? 0;
    const separates = maskEqual(byte, 1) & ~found;
    start = select(separates, at + 1, start);
    good &= found | separates | maskZero(byte);
    found |= separates;
  }
  return { good: good & found, message: data.subarray(start) };
}

/** The mask generation function MGF1 (RFC 8017, B.2.1). */
export function mgf1(seed: Uint8Array, length: number, hashName: OaepHash): Uint8Array {
  const step = emptyLabel[hashName].length;
  const input = Buffer.alloc(seed.length + 4);
  input.set(seed);
  const mask = new Uint8Array(Math.ceil(length / step) * step);
  for (let counter = 0; counter * step < length; counter++) {
    input.writeUInt32BE(counter, seed.length);
    mask.set(hash(hashName, input, "buffer"), counter * step);
  }
  return mask.subarray(0, length);
}

function xor(a: Uint8Array, b: Uint8Array): Uint8Array {
  return a.map((byte, at) => byte ^ (b[at] ?? 0));
}

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

// Comparisons and choices without branches, for what an attacker must not measure. Numbers are integers from 0 to 2^30; a
// mask is -1 for yes and 0 for no, so that masks are combined with `&`, `|` and `~`.

/** Whether a number is 0. */
export function maskZero(value: number): number {
  return ~((value | -value) >> 31);
}

/** Whether two numbers are equal. */
export function maskEqual(a: number, b: number): number {
  return maskZero(a ^ b);
}

/** Whether the first number is the smaller one. */
export function maskLess(a: number, b: number): number {
  return (a - b) >> 31;
}

/** The first value for yes, the second for no. */
export function select(mask: number, yes: number, no: number): number {
  return (mask & yes) | (~mask & no);
}

/** Whether two arrays of the same length have the same bytes. */
export function maskSameBytes(a: Uint8Array, b: Uint8Array): number {
  let difference = a.length ^ b.length;
  for (let at = 0; at < a.length; at++) difference |= (a[at] ?? 0) ^ (b[at] ?? 0);
  return maskZero(difference);
}
