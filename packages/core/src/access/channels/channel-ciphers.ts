import type { Digest } from "@sallyport/storage";
import type { ServerKeyPair } from "../../keys/index.ts";

/**
 * Port: AES-256-CTR over the messages of a secure session. Encryption and decryption are the same operation.
 *
 * The key has 32 bytes, the initial counter block 16. The last four bytes of the block are the block counter. A message
 * whose counter would overflow (64 GiB if it starts at 0) throws a `RangeError`: the overflow would reach the message
 * number and reuse the keystream of the next message. Another length of key or counter block throws a `RangeError`.
 */
export interface ChannelCipher {
  apply(key: Uint8Array, counterBlock: Uint8Array, message: Uint8Array): Uint8Array;

  /** Processes a message as a stream, in constant memory. Input chunks have any size; each yields one output chunk. */
  applyToStream(
    key: Uint8Array,
    counterBlock: Uint8Array,
    message: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  ): AsyncIterable<Uint8Array>;
}

/** The RSA public key of a client: 2048 to 4096 bits, exponent 65537. Only a `ClientKeyParser` creates one. */
export interface ClientKey {
  /** SHA-256 of `spki`. Identifies the key in any input format. */
  readonly digest: Digest;
  /** Size of the modulus, in bits. */
  readonly bits: number;
  /** The key as SubjectPublicKeyInfo in DER, the canonical form of all input formats. */
  readonly spki: Uint8Array;
}

/** Port: parses the public key that a client sends with its log-in. */
export interface ClientKeyParser {
  /**
   * Accepts PEM (SPKI or PKCS#1, with any indentation and line endings), base64 of such a PEM, and base64 of the DER.
   * Base64 may be base64url, unpadded or broken into lines. At most 8,192 characters.
   *
   * Returns `undefined` for everything else: other key types, sizes or exponents, an even modulus, private keys,
   * certificates, non-canonical DER, trailing bytes, and the server's own keys.
   *
   * @param ownKeyIds ids of the server's keys. A client without their private keys cannot decrypt the answer.
   */
  parse(text: string, ownKeyIds: Iterable<string>): ClientKey | undefined;
}

/** Port: encrypts the log-in answer for the client. */
export interface AnswerCipher {
  /**
   * Encrypts the bytes in blocks of the maximum size for the padding. Returns base64 of the joined cipher blocks. Empty
   * input yields one block. Yields to the event loop between the blocks of a long answer.
   */
  seal(key: ClientKey, padding: RsaPadding, plain: Uint8Array): Promise<string>;
}

export interface OpenedCredentials {
  /** Id of the server key that decrypted them. */
  readonly keyId: string;
  readonly padding: RsaPadding;
  /** SHA-256 of each cipher block, in order. Equal digests imply equal contents. */
  readonly blocks: readonly Digest[];
  /**
   * The joined contents of all blocks. With PKCS#1 v1.5, wrong padding yields pseudo-random bytes (implicit rejection),
   * so the padding is not an oracle. Treat contents that do not parse like `undefined`.
   */
  readonly plain: Uint8Array;
}

/** Port: decrypts credentials and passwords that clients encrypt with the server's RSA key. */
export interface CredentialsCipher {
  /**
   * Decrypts base64 of 1 to 16 cipher blocks, all under one of the accepted keys (of kind `rsa`) and with one padding.
   * Returns `undefined` on any error. The cost depends only on the number of blocks and on the accepted keys. Runs off
   * the event loop in a bounded queue. A full queue throws 706.
   */
  open(credentials: string, accepted: readonly ServerKeyPair[], spent?: Spent): Promise<OpenedCredentials | undefined>;
}

/** Takes the milliseconds that a decryption occupied a processor. Called before its outcome, unless it needed none. */
export type Spent = (milliseconds: number) => void;

/** The raw body of the encrypted form of `POST /v2/login`. */
export interface HybridMessage {
  /** Base64 of a random 32-byte key, encrypted with RSA-OAEP-SHA-256 under a server key. */
  readonly aesKey: string;
  /** Base64 of a 16-byte IV and AES-256-CBC cipher text with PKCS#7 padding. At most 65,536 bytes. */
  readonly data: string;
}

export interface OpenedMessage {
  /** Id of the server key that decrypted the message. */
  readonly keyId: string;
  /** SHA-256 of the cipher block of the AES key. */
  readonly keyBlock: Digest;
  /**
   * SHA-256 of the cipher text of `data`, without the IV. An attacker can change the IV, and thereby the first 16 bytes
   * of the contents. Changing the cipher text destroys the contents.
   */
  readonly digest: Digest;
  /** May be pseudo-random or altered. Treat contents that do not parse like `undefined`. */
  readonly plain: Uint8Array;
}

/** Port: messages under an AES key that is encrypted with RSA. */
export interface HybridCipher {
  /**
   * Decrypts a message for one of the accepted keys (of kind `rsa`). Returns `undefined` on any error, at the cost of a
   * valid message. Runs off the event loop in a bounded queue. A full queue throws 706.
   */
  open(message: HybridMessage, accepted: readonly ServerKeyPair[], spent?: Spent): Promise<OpenedMessage | undefined>;

  /** Encrypts under a fresh AES key. Returns base64 of the key encrypted for the client, `|`, and base64 of IV and cipher text. */
  seal(key: ClientKey, plain: Uint8Array): string;
}

/** RSA paddings of clients. The log-in answer uses the padding of the request. */
export const rsaPaddings = ["OAEP-SHA-256", "OAEP-SHA-1", "PKCS1-v1_5"] as const;

export type RsaPadding = (typeof rsaPaddings)[number];
