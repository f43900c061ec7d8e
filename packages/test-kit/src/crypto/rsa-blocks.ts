import { constants, type KeyObject, privateDecrypt, publicEncrypt } from "node:crypto";
import type { RsaPadding } from "@sallyport/core";

// The client's side with Node's crypto alone, independent of the product's implementation.

const schemes = {
  "OAEP-SHA-256": { overhead: 66, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: "sha256" },
  "OAEP-SHA-1": { overhead: 42, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: "sha1" },
  "PKCS1-v1_5": { overhead: 11, padding: constants.RSA_PKCS1_PADDING, oaepHash: "sha1" },
} as const;

export function blockSize(key: KeyObject): number {
  return Math.ceil((key.asymmetricKeyDetails?.modulusLength ?? 0) / 8);
}

export function capacity(key: KeyObject, padding: RsaPadding): number {
  return blockSize(key) - schemes[padding].overhead;
}

export function encryptBlocks(key: KeyObject, padding: RsaPadding, plain: Uint8Array): Buffer {
  const { overhead: _, ...options } = schemes[padding];
  const step = capacity(key, padding);
  const count = Math.max(1, Math.ceil(plain.length / step));
  const pieces = Array.from({ length: count }, (__, index) => plain.subarray(index * step, (index + 1) * step));
  return Buffer.concat(pieces.map((piece) => publicEncrypt({ key, ...options }, piece)));
}

export function decryptOaep(key: KeyObject, padding: "OAEP-SHA-256" | "OAEP-SHA-1", blocks: Uint8Array): Buffer {
  const { overhead: _, ...options } = schemes[padding];
  return Buffer.concat(cut(blocks, blockSize(key)).map((block) => privateDecrypt({ key, ...options }, block)));
}

/** Encrypts a block with custom padding. */
export function encryptRaw(key: KeyObject, block: Uint8Array): Buffer {
  return publicEncrypt({ key, padding: constants.RSA_NO_PADDING }, block);
}

export function decryptRaw(key: KeyObject, block: Uint8Array): Buffer {
  return privateDecrypt({ key, padding: constants.RSA_NO_PADDING }, block);
}

export function cut(bytes: Uint8Array, size: number): Uint8Array[] {
  return Array.from({ length: bytes.length / size }, (_, index) => bytes.subarray(index * size, (index + 1) * size));
}
