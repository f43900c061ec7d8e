import type { RandomSource } from "./digests.ts";

/**
 * A UUID of version 4, in lower case: 122 bits of the source. An adapter is given no source and takes what its platform has, such as
 * `randomUUID` of `node:crypto`.
 */
export function randomUuid(random: RandomSource): string {
  const hex = Array.from(random.bytes(16), (byte, index) => marked(byte, index).toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

/** The byte with the bits that say which version and variant it is. */
function marked(byte: number, index: number): number {
  if (index === 6) return (byte & 0x0f) | 0x40;
  return index === 8 ? (byte & 0x3f) | 0x80 : byte;
}
