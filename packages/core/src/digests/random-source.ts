/** Port: unpredictable identifiers. */
export interface RandomSource {
  /** 256 bits from the system's secure source, as 43 characters of base64url. */
  secret(): string;

  /** So many bytes from the same source. */
  bytes(length: number): Uint8Array;
}
