/** Port: one-way functions over UTF-8 text. */
export interface Digests {
  sha256(text: string): Digest;
  /** MD5 as 32 lowercase hexadecimal digits. This is the form in which clients send passwords. It protects nothing. */
  md5(text: string): string;
}

/** A SHA-256 as 64 lowercase hexadecimal digits. Secrets reach storage only in this form. */
export type Digest = string;

/** Port: cryptographically secure random values. */
export interface RandomSource {
  /** Returns 256 random bits as 43 characters of base64url. */
  secret(): string;

  bytes(length: number): Uint8Array;
}

/** Returns a random UUID (version 4) in lower case, with 122 random bits. Adapters use their platform's own function. */
export function randomUuid(random: RandomSource): string {
  const hex = Array.from(random.bytes(16), (byte, index) => marked(byte, index).toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

/** Sets the version and variant bits of the UUID. */
function marked(byte: number, index: number): number {
  if (index === 6) return (byte & 0x0f) | 0x40;
  return index === 8 ? (byte & 0x3f) | 0x80 : byte;
}
