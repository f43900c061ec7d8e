import type { Digest } from "../../digests/index.ts";
import type { ServerKeyPair } from "../../keys/index.ts";

/**
 * Port: AES-256-CTR over the messages of a secure session. To encrypt and to decrypt is the same operation.
 *
 * The key has 32 bytes, the counter block 16: the block a message begins with, by the layout of the wire contract. Its last
 * four bytes number the blocks of the message; a message that would need a number beyond them (64 GiB when it begins
 * with 0) is refused with a `RangeError`, because the counter would go on into the number of the message and repeat
 * what protects the next one. A key or counter block of another length is a `RangeError`, too.
 */
export interface ChannelCipher {
  apply(key: Uint8Array, counterBlock: Uint8Array, message: Uint8Array): Uint8Array;

  /** The same over a message that comes in pieces of any size, in constant memory; gives a piece for every piece. */
  applyToStream(
    key: Uint8Array,
    counterBlock: Uint8Array,
    message: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  ): AsyncIterable<Uint8Array>;
}

/** The RSA public key of a client: 2048 to 4096 bits, exponent 65537. Only a `ClientKeyParser` makes one. */
export interface ClientKey {
  /** SHA-256 of `spki`: identifies the key, in whatever form it was sent. */
  readonly digest: Digest;
  /** Size of the modulus. */
  readonly bits: number;
  /** The key as SubjectPublicKeyInfo in DER, the one form that every accepted form comes to. */
  readonly spki: Uint8Array;
}

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

/** Port: encrypting the answer to a log-in for the client. */
export interface AnswerCipher {
  /**
   * Encrypts bytes block by block, each block as full as the padding allows, and returns base64 of the blocks joined.
   * No bytes become one block. Gives way to other work between the blocks of a long answer.
   */
  seal(key: ClientKey, padding: RsaPadding, plain: Uint8Array): Promise<string>;
}

/** What a client had encrypted block by block for the server. */
export interface OpenedCredentials {
  /** The key that opened it. */
  readonly keyId: string;
  readonly padding: RsaPadding;
  /** SHA-256 of each cipher block, in order. No two texts have the same block digests and different contents. */
  readonly blocks: readonly Digest[];
  /**
   * The contents of all blocks, joined. With PKCS#1 v1.5 they are pseudo-random when the padding was wrong (implicit
   * rejection), so that nobody learns whether it was: whatever does not make sense must be answered like `undefined`.
   */
  readonly plain: Uint8Array;
}

/** Port: opening what clients encrypt with the server's RSA key, be it credentials or passwords. */
export interface CredentialsCipher {
  /**
   * Opens base64 of 1 to 16 cipher blocks, all for one of the accepted keys (of kind `rsa`) and in one padding.
   * Everything wrong is `undefined`; for the same number of blocks and the same keys it costs the same work.
   * Runs beside the event loop in a bounded queue; a full queue is 706.
   */
  open(credentials: string, accepted: readonly ServerKeyPair[]): Promise<OpenedCredentials | undefined>;
}

/** A body of the encrypted form of `POST /v2/login`, as it came. */
export interface HybridMessage {
  /** Base64 of 32 random bytes, encrypted with RSA-OAEP-SHA-256 under a key of the server. */
  readonly aesKey: string;
  /** Base64 of a 16-byte IV and AES-256-CBC with PKCS#7 padding. At most 65,536 bytes. */
  readonly data: string;
}

export interface OpenedMessage {
  /** The key that opened it. */
  readonly keyId: string;
  /** SHA-256 of the cipher block of the AES key. */
  readonly keyBlock: Digest;
  /**
   * SHA-256 of the cipher blocks of `data` without the IV. The IV is left out because it can be altered, and the first 16
   * bytes of the contents with it, by whoever has the message; the blocks themselves cannot be without destroying them.
   */
  readonly digest: Digest;
  /** Pseudo-random or altered contents are possible: what does not make sense must be answered like `undefined`. */
  readonly plain: Uint8Array;
}

/** Port: messages whose AES key is encrypted with RSA. */
export interface HybridCipher {
  /**
   * Opens a message for one of the accepted keys (of kind `rsa`). Everything wrong is `undefined`: a wrong AES key and
   * wrong padding cost what right ones cost. Runs beside the event loop in a bounded queue; a full queue is 706.
   */
  open(message: HybridMessage, accepted: readonly ServerKeyPair[]): Promise<OpenedMessage | undefined>;

  /** Encrypts with a fresh AES key: base64 of the key for the client, `|`, base64 of IV and cipher text. */
  seal(key: ClientKey, plain: Uint8Array): string;
}

/** How clients pad what they encrypt with RSA. The answer to a log-in uses the padding that the client used. */
export const rsaPaddings = ["OAEP-SHA-256", "OAEP-SHA-1", "PKCS1-v1_5"] as const;

export type RsaPadding = (typeof rsaPaddings)[number];
