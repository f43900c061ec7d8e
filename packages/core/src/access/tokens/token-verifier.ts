import type { ServerKeyPair, ServerPublicKey } from "../../keys/index.ts";

/** The requirements on a token. */
export interface TokenExpectation {
  /** Accepted keys of kind `jwt` by id. Reuse the objects: a key is prepared once per object. */
  readonly keys: ReadonlyMap<string, ServerPublicKey>;
  readonly issuer: string;
  readonly audience: string;
  /** Current time, in seconds since 1970. No leeway: `exp` must be later, and `nbf`, if present, must not be. */
  readonly now: number;
}

/** Port: token verification. */
export interface TokenVerifier {
  /** Returns the unverified key id of a token. `undefined` for a token that `verify` would refuse with any key. */
  keyIdOf(token: string): string | undefined;

  /**
   * Returns the claims of a valid, unexpired token from a `TokenSigner` of this installation, for this issuer and
   * audience. Returns `undefined` for everything else: another algorithm or type, an unknown key, other header members,
   * missing or mistyped claims, non-canonical encodings of the contents or the signature, more than 4,096 characters.
   */
  verify(token: string, expected: TokenExpectation): TokenClaims | undefined;
}

/** Port: token signing. */
export interface TokenSigner {
  /**
   * Returns a compact JWT, signed with ES256 by a key of kind `jwt`. The header has the key id. Throws a `TypeError`
   * for claims or keys that the verifier would refuse.
   */
  sign(claims: TokenClaims, key: ServerKeyPair): string;
}

/** Claims of a token. Times are whole seconds since 1970. */
export interface TokenClaims {
  readonly iss: string;
  /** Audience: the database name. */
  readonly aud: string;
  /** Subject: the user id. */
  readonly sub: string;
  /** Mode and digest of the session. The session's row decides whether the token is still valid. */
  readonly sid: string;
  readonly jti: string;
  readonly iat: number;
  /** The first second in which the token is expired. */
  readonly exp: number;
}
