import { blockLengthOf, type RsaKey } from "./rsa-key.ts";
import { type RsaPadding, rsaSchemes } from "./rsa-padding.ts";
import { type Bytes, webCrypto } from "./web-crypto.ts";

const algorithm = { name: "RSA-OAEP" };

/** Encrypts bytes block by block, each as full as the padding allows; no bytes become one block. */
export async function encryptBlocks(key: RsaKey, padding: RsaPadding, plain: Bytes): Promise<Bytes> {
  const capacity = blockLengthOf(key) - rsaSchemes[padding].overhead;
  const parts = piecesOf(plain, capacity);
  return joined(await Promise.all(parts.map((part) => webCrypto().subtle.encrypt(algorithm, key, part))));
}

/** The bytes of all blocks, joined; `undefined` for what was not encrypted for this key in its padding. */
export async function decryptBlocks(key: RsaKey, cipher: Bytes): Promise<Bytes | undefined> {
  const length = blockLengthOf(key);
  if (cipher.length === 0 || cipher.length % length !== 0) return undefined;
  try {
    return joined(
      await Promise.all(piecesOf(cipher, length).map((part) => webCrypto().subtle.decrypt(algorithm, key, part))),
    );
  } catch {
    return undefined;
  }
}

function piecesOf(bytes: Bytes, length: number): Bytes[] {
  const count = Math.max(1, Math.ceil(bytes.length / length));
  return Array.from({ length: count }, (_, index) => bytes.subarray(index * length, (index + 1) * length));
}

function joined(parts: readonly ArrayBuffer[]): Bytes {
  const whole = new Uint8Array(parts.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(new Uint8Array(part), at);
    at += part.byteLength;
  }
  return whole;
}
