/** Port: time-based one-time tokens as authenticators show them: RFC 6238 with HMAC-SHA-1, six digits and steps of 30 seconds. */
export interface TimeTokens {
  /** A new shared secret, 160 bits, as Base32 without padding. */
  newSecret(): string;

  /** What authenticators read from a QR code: an `otpauth://` address that holds the secret. */
  address(shared: { readonly secret: string; readonly issuer: string; readonly label: string }): string;

  /**
   * The time step of which the text is the token, if it is at most one away from that of the time, and later than `after`; of
   * several the earliest. `null` if there is none. Takes the same time whatever the text.
   *
   * @param at milliseconds since 1970
   */
  stepOf(secret: string, token: string, at: number, after: number): number | null;
}
