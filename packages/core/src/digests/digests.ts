/** Port: one-way functions over UTF-8 text. */
export interface Digests {
  sha256(text: string): Digest;
  /** MD5 as 32 lowercase hexadecimal digits; the form in which clients send passwords, never a protection. */
  md5(text: string): string;
}

/** A SHA-256 as 64 lowercase hexadecimal digits. Secrets reach storage in this form only. */
export type Digest = string;

/** Port: unpredictable identifiers. */
export interface RandomSource {
  /** 256 bits from the system's secure source, as 43 characters of base64url. */
  secret(): string;

  /** So many bytes from the same source. */
  bytes(length: number): Uint8Array;
}

/** A UUID of version 4 in lower case, of 122 bits of the source. Adapters take what their platform has. */
export function randomUuid(random: RandomSource): string {
  const hex = Array.from(random.bytes(16), (byte, index) => marked(byte, index).toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

/** The byte with the bits that say which version and variant it is. */
function marked(byte: number, index: number): number {
  if (index === 6) return (byte & 0x0f) | 0x40;
  return index === 8 ? (byte & 0x3f) | 0x80 : byte;
}
