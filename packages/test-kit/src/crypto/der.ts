import type { KeyObject } from "node:crypto";
import { createHash } from "node:crypto";

// Hand-written DER, for keys that no library produces.

export function der(tag: number, contents: Uint8Array): Buffer {
  const { length } = contents;
  const bytes = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.of(tag, ...bytes), contents]);
}

export function integer(value: bigint): Buffer {
  const digits = value.toString(16);
  const bytes = Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, "hex");
  return der(0x02, (bytes[0] ?? 0) < 128 ? bytes : Buffer.concat([Buffer.of(0), bytes]));
}

export function spkiOf(key: KeyObject): Buffer {
  return key.export({ type: "spki", format: "der" });
}

const rsaAlgorithm = Buffer.from("300d06092a864886f70d0101010500", "hex");

/** The SPKI of an RSA key. The default modulus is odd and has `bits` bits; the default exponent is 65537. */
export function publicKeyDer({ bits = 2_048, modulus = oddNumber(bits), exponent = 65_537n }): Buffer {
  const numbers = der(0x30, Buffer.concat([integer(modulus), integer(exponent)]));
  return der(0x30, Buffer.concat([rsaAlgorithm, der(0x03, Buffer.concat([Buffer.of(0), numbers]))]));
}

/** The PKCS#1 structure inside an SPKI. */
export function pkcs1Inside(spki: Buffer): Buffer {
  const bitString = spki.subarray(spki.indexOf(rsaAlgorithm) + rsaAlgorithm.length);
  return bitString.subarray(bitString.indexOf(Buffer.of(0, 0x30)) + 1);
}

/** Deterministic for each size. */
function oddNumber(bits: number): bigint {
  const bytes = createHash("shake256", { outputLength: Math.ceil(bits / 8) })
    .update(String(bits))
    .digest();
  const random = BigInt.asUintN(bits, BigInt(`0x${bytes.toString("hex")}`));
  return random | 1n | (1n << BigInt(bits - 1));
}
