/** The order of P-256 (FIPS 186-4, D.1.2.3). */
const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
const half = order / 2n;
const partLength = 32;

/**
 * An ES256 signature (r and s, 32 bytes each) stays valid when s is replaced by its negative. Of the two we make and accept
 * the one with the smaller s, so that nobody can make a second token of one that he has.
 */
export function hasLowS(signature: Uint8Array): boolean {
  return signature.length === 2 * partLength && partS(signature) <= half;
}

/** The same signature with the smaller s. */
export function withLowS(signature: Uint8Array): Buffer {
  const s = partS(signature);
  const low = s > half ? order - s : s;
  const text = low.toString(16).padStart(2 * partLength, "0");
  return Buffer.concat([signature.subarray(0, partLength), Buffer.from(text, "hex")]);
}

function partS(signature: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(signature.subarray(partLength)).toString("hex") || "0"}`);
}
