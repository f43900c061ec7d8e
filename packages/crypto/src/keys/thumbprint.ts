import { hash, type KeyObject } from "node:crypto";

/** The JWK thumbprint of a key (RFC 7638): SHA-256 of its required members in the order of their names, in base64url. */
export function thumbprint(key: KeyObject): string {
  const { kty, n, e, crv, x, y } = key.export({ format: "jwk" });
  const members = kty === "RSA" ? { e, kty, n } : { crv, kty, x, y };
  return hash("sha256", JSON.stringify(members), "base64url");
}
