import { hash } from "node:crypto";
import { maskEqual, maskSameBytes, maskZero, select } from "./constant-time.ts";
import type { Unpadded } from "./unpadded.ts";

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
