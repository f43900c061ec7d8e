/**
 * Port: sealing of secrets under the master key of the installation. Private keys, symmetric keys of sessions and the
 * text of the `Secure-Token` go through it.
 *
 * A purpose says what a secret is for, for example `server key` or `secure token|<alias>`. It is bound to the result:
 * what was wrapped for one purpose cannot be unwrapped for another. A purpose is no secret, and there should be few of
 * them: each has a key of its own.
 */
export interface KeyWrapping {
  /** Seals 0 to 65,536 bytes. The text is base64url without padding, different every time, 29 bytes longer than `plain`. */
  wrap(plain: Uint8Array, purpose: string): string;

  /**
   * What was wrapped. `undefined` for anything that this master key did not wrap for this purpose: altered,
   * truncated, another spelling of the same bytes, an unknown version.
   */
  unwrap(wrapped: string, purpose: string): Uint8Array | undefined;
}
