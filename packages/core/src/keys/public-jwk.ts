/** A public key for checking tokens, as it stands in a JWK set (RFC 7517). */
export interface PublicJwk {
  readonly kty: "EC";
  readonly crv: "P-256";
  /** Coordinates: 32 bytes each, base64url. */
  readonly x: string;
  readonly y: string;
  readonly kid: string;
  readonly use: "sig";
  readonly alg: "ES256";
}
