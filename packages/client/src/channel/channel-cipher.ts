import { type Bytes, webCrypto } from "../crypto/web-crypto.ts";

/** Only the number of the block counts up: the cipher can never run into the number of another message. */
const counterBits = 32;

/** AES-256-CTR with the key of a session. To encrypt and to decrypt is the same operation. */
export class ChannelCipher {
  readonly #key: CryptoKey;

  private constructor(key: CryptoKey) {
    this.#key = key;
  }

  static async create(symmetricKey: Bytes): Promise<ChannelCipher> {
    return new ChannelCipher(await webCrypto().subtle.importKey("raw", symmetricKey, "AES-CTR", false, ["encrypt"]));
  }

  /** A message that begins with this counter block. */
  async apply(counterBlock: Uint8Array, message: Uint8Array): Promise<Bytes> {
    const algorithm = { name: "AES-CTR", counter: new Uint8Array(counterBlock), length: counterBits };
    return new Uint8Array(await webCrypto().subtle.encrypt(algorithm, this.#key, new Uint8Array(message)));
  }
}
