import type { ServerKeyPair, ServerPublicKey } from "../../keys/index.ts";

/** What a token must be good for. */
export interface TokenExpectation {
  /** The accepted keys of kind `jwt` by their id. Keep the objects: a key is prepared once per object. */
  readonly keys: ReadonlyMap<string, ServerPublicKey>;
  readonly issuer: string;
  readonly audience: string;
  /** Now, in seconds since 1970. There is no leeway: `exp` must be later, `nbf`, if there is one, not. */
  readonly now: number;
}

/** Port: checking of tokens. */
export interface TokenVerifier {
  /** The id of the key that a token names, before anything was checked; `undefined` for what `verify` would refuse with any key. */
  keyIdOf(token: string): string | undefined;

  /**
   * The claims of a token that a `TokenSigner` of this installation made, as it made it, for this issuer and audience,
   * and that has not expired. `undefined` for everything else, however small the difference: another algorithm or
   * type, unknown key, other header members, missing or mistyped claims, another spelling of the same contents or of the
   * same signature, more than 4,096 characters.
   */
  verify(token: string, expected: TokenExpectation): TokenClaims | undefined;
}

/** Port: signing of tokens. */
export interface TokenSigner {
  /**
   * A JWT in compact form, signed with ES256 by a key of kind `jwt`, whose id stands in its header. Throws a
   * `TypeError` for claims or keys that its own verifier would refuse.
   */
  sign(claims: TokenClaims, key: ServerKeyPair): string;
}

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
