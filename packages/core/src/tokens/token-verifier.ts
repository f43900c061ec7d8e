import type { ServerPublicKey } from "../keys/server-key.ts";
import type { TokenClaims } from "./token-claims.ts";

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
