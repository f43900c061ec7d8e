import type { Digest } from "../digests/digest.ts";
import type { ServerKeyPair } from "../keys/server-key.ts";
import type { ClientKey } from "./client-key.ts";

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
