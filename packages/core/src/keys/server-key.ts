/** What a key pair of the server serves: RSA for the encrypted log-ins, P-256 for signing tokens. */
export type ServerKeyKind = "rsa" | "jwt";

/** The half of a key pair that everybody may see. */
export interface ServerPublicKey {
  readonly kind: ServerKeyKind;
  /** The JWK thumbprint (RFC 7638, SHA-256, 43 characters of base64url): the same key has the same id everywhere. */
  readonly keyId: string;
  /** PEM of the SubjectPublicKeyInfo, its lines ended by CR LF, the last one too. */
  readonly publicKey: string;
}

/**
 * A key pair of the server. Adapters prepare a key once per object, so keep the object for as long as the key is
 * in use instead of making a new one for every request.
 */
export interface ServerKeyPair extends ServerPublicKey {
  /** PKCS#8 in DER, not encrypted: wrap it before it is stored, and log it nowhere. */
  readonly privateKey: Uint8Array;
}
