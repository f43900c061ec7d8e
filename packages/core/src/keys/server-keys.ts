import type { KeyRefusal } from "./key-refusal.ts";
import type { PublicJwk } from "./public-jwk.ts";
import type { ServerKeyKind, ServerKeyPair, ServerPublicKey } from "./server-key.ts";

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
