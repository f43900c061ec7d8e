/** Parameters of a new key pair. RSA defaults to 2048 bits. Token keys are on P-256. */
export type NewServerKey = { readonly kind: "rsa"; readonly bits?: 2048 | 3072 | 4096 } | { readonly kind: "jwt" };

/** A key from a file, or why it cannot be used. */
export type ImportedKey = { readonly pair: ServerKeyPair } | { readonly refused: KeyRefusal };

/** Port: creates and reads the key pairs of the server. */
export interface ServerKeys {
  /** Creates a pair off the event loop. RSA with 4096 bits can take several seconds. */
  generate(spec: NewServerKey): Promise<ServerKeyPair>;

  /**
   * Reads a PEM file with one private key: PKCS#1, SEC1 or PKCS#8, encrypted or not. The passphrase is ignored for
   * unencrypted files. Blocks while it derives the key of the file, so call it only at server start.
   */
  import(kind: ServerKeyKind, pem: string, passphrase?: string): ImportedKey;

  /** Restores the pair of a private key. Returns `undefined` if the bytes are not a PKCS#8 key of this kind. */
  restore(kind: ServerKeyKind, privateKey: Uint8Array): ServerKeyPair | undefined;

  /** Returns a token key as a JWK. Throws a `TypeError` for a key of another kind. */
  jwk(key: ServerPublicKey): PublicJwk;
}

/** Use of a server key pair: RSA for encrypted log-ins, P-256 for signing tokens. */
export type ServerKeyKind = "rsa" | "jwt";

export interface ServerPublicKey {
  readonly kind: ServerKeyKind;
  /** The JWK thumbprint (RFC 7638, SHA-256, 43 characters of base64url). The same key always has the same id. */
  readonly keyId: string;
  /** SubjectPublicKeyInfo in PEM. All lines end with CR LF, including the last. */
  readonly publicKey: string;
}

/**
 * A key pair of the server. Adapters prepare a key once per object, so reuse the object instead of creating one per
 * request.
 */
export interface ServerKeyPair extends ServerPublicKey {
  /** Unencrypted PKCS#8 in DER. Wrap it before storing it, and never log it. */
  readonly privateKey: Uint8Array;
}

/** A public key for verifying tokens, as a member of a JWK set (RFC 7517). */
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

/** Why a private key file cannot be used: the reason's name, and a sentence for the operator. */
export const keyRefusals = {
  notPem: "It is not a PEM file with one private key.",
  publicKey: "It contains a public key. A private key is required.",
  certificate: "It contains a certificate. A private key is required.",
  passphraseMissing: "It is encrypted and no passphrase is configured.",
  passphraseWrong: "It cannot be decrypted with the configured passphrase.",
  damaged: "It is damaged or has an unsupported format.",
  wrongType: "It has the wrong type. Secure log-in requires RSA, tokens require EC.",
  wrongCurve: "It has the wrong curve. Tokens require P-256.",
  tooSmall: "It is too small. RSA requires at least 2048 bits.",
  tooLarge: "It is too large. RSA allows at most 4096 bits.",
  unusualSize: "It has an unsupported size. RSA requires 2048, 3072 or 4096 bits.",
  exponent: "Its public exponent is not 65537.",
  inconsistent: "Its private and public parts do not match.",
} as const;

export type KeyRefusal = keyof typeof keyRefusals;
