/** Port: unpredictable identifiers. */
export interface RandomSource {
  /** 256 bits from the system's secure source, as 43 characters of base64url. */
  secret(): string;
}
