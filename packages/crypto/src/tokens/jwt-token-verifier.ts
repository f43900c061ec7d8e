import { createPublicKey, type KeyObject } from "node:crypto";
import type { ServerPublicKey, TokenClaims, TokenExpectation, TokenVerifier } from "@sallyport/core";
import jsonwebtoken from "jsonwebtoken";
import { readToken } from "./read-token.ts";

/** Reads tokens by its own strict rules, and has jsonwebtoken check signature, algorithm, issuer and audience. */
export class JwtTokenVerifier implements TokenVerifier {
  readonly #keys = new WeakMap<ServerPublicKey, KeyObject>();

  keyIdOf(token: string): string | undefined {
    return readToken(token)?.keyId;
  }

  verify(token: string, { keys, issuer, audience, now }: TokenExpectation): TokenClaims | undefined {
    const unchecked = readToken(token);
    const key = unchecked && keys.get(unchecked.keyId);
    if (unchecked === undefined || key?.kind !== "jwt") return undefined;
    const object = this.#keyOf(key);
    try {
      // Its clock takes 0 for "not given", so times are compared here.
      const times = { ignoreExpiration: true, ignoreNotBefore: true };
      jsonwebtoken.verify(token, object, { algorithms: ["ES256"], issuer, audience, ...times });
    } catch {
      return undefined;
    }
    const { claims, notBefore } = unchecked;
    if (claims.iss !== issuer || claims.aud !== audience) return undefined;
    return notBefore <= now && now < claims.exp ? claims : undefined;
  }

  #keyOf(key: ServerPublicKey): KeyObject {
    let object = this.#keys.get(key);
    if (object === undefined) {
      object = createPublicKey(key.publicKey);
      this.#keys.set(key, object);
    }
    return object;
  }
}
