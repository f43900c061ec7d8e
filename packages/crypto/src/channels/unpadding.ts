import { createHmac, hash, type KeyObject } from "node:crypto";

/** The result of removing a padding. */
export interface Unpadded {
  /** A mask: -1 for a valid padding, 0 for an invalid one. Never branch on it for PKCS#1 v1.5. */
  readonly good: number;
  /** The message, meaningless after an invalid padding. */
  readonly message: Uint8Array;
}

export type OaepHash = "sha1" | "sha256";

const emptyLabel = { sha1: hash("sha1", "", "buffer"), sha256: hash("sha256", "", "buffer") };

/**
 * Removes OAEP from a raw block (RFC 8017, 7.1.2): MGF1 with the same hash, empty label. It processes every byte before
 * the verdict, which is only valid or invalid. Revealing an invalid first byte alone would allow decryption of any
 * block (Manger's attack).
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
const minFillingLength = 8;

/**
 * Removes PKCS#1 v1.5 padding (RFC 8017, 7.2.2) from a raw block, with implicit rejection. An invalid padding yields a
 * pseudo-random message, derived from the private key and the cipher block, so equal blocks yield equal messages. An
 * attacker cannot tell a valid padding from an invalid one (Bleichenbacher's attack). The algorithm equals that of
 * OpenSSL 3.2 and later, byte for byte.
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
  const good = start & found & ~maskLess(separator, 2 + minFillingLength);

  const message = block.map((byte, at) => select(good, byte, substitute[at] ?? 0));
  return { good, message: message.subarray(select(good, separator + 1, substituteStart)) };
}

/** The last candidate that is a valid length, so that all lengths are about equally likely. */
function substituteLength(candidates: Uint8Array, size: number): number {
  const maxMessageLength = size - 2 - minFillingLength;
  const bits = 2 ** Math.ceil(Math.log2(maxMessageLength + 1)) - 1;
  let length = 0;
  for (let at = 0; at < candidates.length; at += 2) {
    const candidate = (((candidates[at] ?? 0) << 8) | (candidates[at + 1] ?? 0)) & bits;
    length = select(maskLess(candidate, maxMessageLength), candidate, length);
  }
  return length;
}

/** Pseudo-random bytes: HMAC-SHA-256 of counter, label and length in bits, block by block. */
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

/** Removes PKCS#7 padding from 16-byte blocks. It processes every possible padding byte before the verdict. */
export function unpadPkcs7(blocks: Uint8Array): Unpadded {
  const last = blocks.length - 1;
  const count = blocks[last] ?? 0;
  let good = ~maskZero(count) & ~maskLess(blockLength, count);
  for (let back = 0; back < blockLength; back++) {
    good &= ~maskLess(back, count) | maskEqual(blocks[last - back] ?? 0, count);
  }
  return { good, message: blocks.subarray(0, blocks.length - select(good, count, 0)) };
}

// Branch-free comparisons and selection, against timing attacks. Numbers are integers from 0 to 2^30. A mask is -1 for
// yes and 0 for no; combine masks with `&`, `|` and `~`.

/** Mask: the number is 0. */
export function maskZero(value: number): number {
  return ~((value | -value) >> 31);
}

/** Mask: the numbers are equal. */
export function maskEqual(a: number, b: number): number {
  return maskZero(a ^ b);
}

/** Mask: `a` is less than `b`. */
export function maskLess(a: number, b: number): number {
  return (a - b) >> 31;
}

/** Returns `yes` for the mask -1, `no` for 0. */
export function select(mask: number, yes: number, no: number): number {
  return (mask & yes) | (~mask & no);
}

/** Mask: two arrays have the same bytes. Both must have the same length. */
export function maskSameBytes(a: Uint8Array, b: Uint8Array): number {
  let difference = a.length ^ b.length;
  for (let at = 0; at < a.length; at++) difference |= (a[at] ?? 0) ^ (b[at] ?? 0);
  return maskZero(difference);
}
