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
