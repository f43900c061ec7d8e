import { type RsaPadding, rsaSchemes } from "./rsa-padding.ts";

/** A key of WebCrypto. Named by what takes it, which Node and browsers have in common. */
export type RsaKey = Parameters<typeof crypto.subtle.encrypt>[1];

/** Length in bytes of the blocks that a key makes and takes. */
export function blockLengthOf(key: RsaKey): number {
  return Math.ceil((key.algorithm as RsaHashedKeyAlgorithm).modulusLength / 8);
}

/** Whether a key was made for this padding; WebCrypto binds a key to its hash. */
export function isFor(key: RsaKey, padding: RsaPadding): boolean {
  const { name, hash } = key.algorithm as RsaHashedKeyAlgorithm;
  return name === "RSA-OAEP" && hash.name === rsaSchemes[padding].hash;
}
