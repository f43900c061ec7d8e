import { createPrivateKey, type KeyObject } from "node:crypto";
import type { ServerKeyPair, TokenClaims, TokenSigner } from "@sallyport/core";
import jsonwebtoken from "jsonwebtoken";
import { withLowS } from "./ecdsa-signature.ts";
import { readToken } from "./read-token.ts";
import { readTokenClaims } from "./read-token-claims.ts";

/** Signs with jsonwebtoken. */
export class JwtTokenSigner implements TokenSigner {
  readonly #keys = new WeakMap<ServerKeyPair, KeyObject>();

  sign(claims: TokenClaims, pair: ServerKeyPair): string {
    if (pair.kind !== "jwt") throw new TypeError("tokens are signed with a key of kind jwt");
    const payload = readTokenClaims({ ...claims });
    if (payload === undefined) throw new TypeError("the claims of a token are missing or of a wrong type");
    // As text: of an object the library would replace an `iat` of 0 by its own.
    const options = { algorithm: "ES256", header: { alg: "ES256", typ: "JWT", kid: pair.keyId } } as const;
    const signed = jsonwebtoken.sign(JSON.stringify(payload), this.#keyOf(pair), options);
    const end = signed.lastIndexOf(".") + 1;
    const signature = withLowS(Buffer.from(signed.slice(end), "base64url"));
    const token = signed.slice(0, end) + signature.toString("base64url");
    if (readToken(token) === undefined) throw new TypeError("the claims of a token are too long or no text");
    return token;
  }

  #keyOf(pair: ServerKeyPair): KeyObject {
    let key = this.#keys.get(pair);
    if (key === undefined) {
      key = createPrivateKey({ key: Buffer.from(pair.privateKey), format: "der", type: "pkcs8" });
      this.#keys.set(pair, key);
    }
    return key;
  }
}
