import type { Digest } from "../digests/digest.ts";

/** The RSA public key of a client: 2048 to 4096 bits, exponent 65537. Only a `ClientKeyParser` makes one. */
export interface ClientKey {
  /** SHA-256 of `spki`: identifies the key, in whatever form it was sent. */
  readonly digest: Digest;
  /** Size of the modulus. */
  readonly bits: number;
  /** The key as SubjectPublicKeyInfo in DER, the one form that every accepted form comes to. */
  readonly spki: Uint8Array;
}
