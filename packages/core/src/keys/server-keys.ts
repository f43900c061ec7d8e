/** What a new pair is to be. RSA takes 2048 bits unless told otherwise; tokens are signed on P-256 always. */
export type NewServerKey = { readonly kind: "rsa"; readonly bits?: 2048 | 3072 | 4096 } | { readonly kind: "jwt" };

/** A key from a file, or why it is none that can be used. */
export type ImportedKey = { readonly pair: ServerKeyPair } | { readonly refused: KeyRefusal };

/** Port: making and reading the key pairs of the server. */
export interface ServerKeys {
  /** Makes a pair beside the event loop. RSA with 4096 bits can take several seconds. */
  generate(wanted: NewServerKey): Promise<ServerKeyPair>;

  /**
   * Reads the text of a PEM file with one private key: PKCS#1, SEC1 or PKCS#8, encrypted or not. The passphrase serves
   * encrypted ones and is ignored otherwise. Blocks for as long as the file's own key derivation takes, so it is for
   * the start of the server.
   */
  import(kind: ServerKeyKind, pem: string, passphrase?: string): ImportedKey;

  /** The pair of an unwrapped private key. `undefined` if these bytes are no PKCS#8 key of this kind. */
  restore(kind: ServerKeyKind, privateKey: Uint8Array): ServerKeyPair | undefined;

  /** A key for signing tokens as a member of a JWK set. Throws a `TypeError` for a key of another kind. */
  jwk(key: ServerPublicKey): PublicJwk;
}

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

/** Why the private key of a file cannot serve, as the reason's name and a sentence for whoever starts the server. */
export const keyRefusals = {
  notPem: "It is not a PEM file with one private key.",
  publicKey: "It holds a public key, and the private key is needed.",
  certificate: "It holds a certificate, and the private key is needed.",
  passphraseMissing: "It is encrypted, and no passphrase is configured.",
  passphraseWrong: "It cannot be decrypted with the configured passphrase.",
  damaged: "It cannot be read: its contents are damaged, or its form is not supported.",
  wrongType: "It is of another type: secure log-in needs RSA, tokens need EC.",
  wrongCurve: "It is on another curve: tokens need P-256.",
  tooSmall: "It is too small: RSA needs 2048 bits at least.",
  tooLarge: "It is too large: RSA may have 4096 bits at most.",
  unusualSize: "It has an unusual size: RSA needs 2048, 3072 or 4096 bits.",
  exponent: "Its public exponent is not 65537.",
  inconsistent: "Its private and its public part do not belong together.",
} as const;

export type KeyRefusal = keyof typeof keyRefusals;
