/** What a token says. Times are whole seconds since 1970. */
export interface TokenClaims {
  /** Who issued it. */
  readonly iss: string;
  /** For which database it is good. */
  readonly aud: string;
  /** Whose it is. */
  readonly sub: string;
  /** Mode and digest of the session behind it; the row of that session decides whether the token is still good. */
  readonly sid: string;
  /** An id of the token itself. */
  readonly jti: string;
  readonly iat: number;
  /** The first second in which the token is no longer good. */
  readonly exp: number;
}
