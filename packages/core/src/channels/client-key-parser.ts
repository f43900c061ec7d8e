import type { ClientKey } from "./client-key.ts";

/** Port: reading the public key that a client sends along with its log-in. */
export interface ClientKeyParser {
  /**
   * Takes PEM (SPKI or PKCS#1, lines indented or ended as they like), base64 of such a PEM, base64 of the DER itself;
   * base64 with or without line breaks, padding and in the alphabet of base64url. At most 8,192 characters.
   *
   * `undefined` for everything else: another type or size, another exponent than 65537, an even modulus, private
   * keys, certificates, DER with anything behind or not in its one canonical form, and keys of the server itself.
   *
   * @param ownKeyIds the ids of the server's keys: who sends one of them has no private key to read the answer with.
   */
  parse(text: string, ownKeyIds: Iterable<string>): ClientKey | undefined;
}
