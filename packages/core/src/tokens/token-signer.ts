import type { ServerKeyPair } from "../keys/server-key.ts";
import type { TokenClaims } from "./token-claims.ts";

/** Port: signing of tokens. */
export interface TokenSigner {
  /**
   * A JWT in compact form, signed with ES256 by a key of kind `jwt`, whose id stands in its header. Throws a
   * `TypeError` for claims or keys that its own verifier would refuse.
   */
  sign(claims: TokenClaims, key: ServerKeyPair): string;
}
