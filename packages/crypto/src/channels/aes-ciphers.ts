import {
  type Cipher,
  constants,
  createCipheriv,
  createDecipheriv,
  hash,
  publicEncrypt,
  randomBytes,
} from "node:crypto";
import type {
  ChannelCipher,
  ClientKey,
  CredentialsCipher,
  HybridCipher,
  HybridMessage,
  OpenedCredentials,
  OpenedMessage,
  ServerKeyPair,
  Spent,
} from "@sallyport/core";
import { strictBase64 } from "../strict-base64.ts";
import { clientKeyObject } from "./client-keys.ts";
import { unpadPkcs7 } from "./unpadding.ts";

const algorithm = "aes-256-cbc";
const keyLength = 32;
const blockLength = 16;
const maxDataLength = 65_536;
const maxTextLength = Math.ceil(maxDataLength / 3) * 4;

/** AES-256-CBC with OpenSSL and our own unpadding. The AES key is opened like credentials. */
export class AesCbcHybridCipher implements HybridCipher {
  constructor(private readonly credentials: CredentialsCipher) {}

  async open(
    { aesKey, data }: HybridMessage,
    accepted: readonly ServerKeyPair[],
    spent?: Spent,
  ): Promise<OpenedMessage | undefined> {
    const bytes = data.length > maxTextLength ? undefined : strictBase64(data, "base64");
    if (bytes === undefined || bytes.length < 2 * blockLength || bytes.length % blockLength !== 0) return undefined;
    const [iv, blocks] = [bytes.subarray(0, blockLength), bytes.subarray(blockLength)];

    const opened = await this.credentials.open(aesKey, accepted, spent);
    const isKey = opened !== undefined && isAesKey(opened);
    // Equal work for a wrong key, against timing attacks.
    const decipher = createDecipheriv(algorithm, isKey ? opened.plain : randomBytes(keyLength), iv);
    decipher.setAutoPadding(false);
    const { good, message } = unpadPkcs7(Buffer.concat([decipher.update(blocks), decipher.final()]));
    const digest = hash("sha256", blocks, "hex");
    const plain = new Uint8Array(message);
    const [keyBlock] = opened?.blocks ?? [];
    return isKey && good && keyBlock !== undefined ? { keyId: opened.keyId, keyBlock, digest, plain } : undefined;
  }

  seal(client: ClientKey, plain: Uint8Array): string {
    const key = randomBytes(keyLength);
    const iv = randomBytes(blockLength);
    const cipher = createCipheriv(algorithm, key, iv);
    const data = Buffer.concat([iv, cipher.update(plain), cipher.final()]);
    const padding = constants.RSA_PKCS1_OAEP_PADDING;
    const sealedKey = publicEncrypt({ key: clientKeyObject(client), padding, oaepHash: "sha256" }, key);
    return `${sealedKey.toString("base64")}|${data.toString("base64")}`;
  }
}

function isAesKey({ padding, blocks, plain }: OpenedCredentials): boolean {
  return padding === "OAEP-SHA-256" && blocks.length === 1 && plain.length === keyLength;
}

const blockNumbers = 2 ** 32;

/** AES-256-CTR with OpenSSL. OpenSSL counts in all 16 bytes of the block, so the message length is limited here. */
export class AesCtrChannelCipher implements ChannelCipher {
  apply(key: Uint8Array, counterBlock: Uint8Array, message: Uint8Array): Uint8Array {
    const { cipher, capacity } = begin(key, counterBlock);
    if (message.length > capacity) throw tooLong();
    return cipher.update(message);
  }

  applyToStream(
    key: Uint8Array,
    counterBlock: Uint8Array,
    message: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  ): AsyncIterable<Uint8Array> {
    const { cipher, capacity } = begin(key, counterBlock);
    return pieces(cipher, capacity, message);
  }
}

async function* pieces(
  cipher: Cipher,
  capacity: number,
  message: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncIterable<Uint8Array> {
  let length = 0;
  for await (const piece of message) {
    length += piece.length;
    if (length > capacity) throw tooLong();
    yield cipher.update(piece);
  }
}

/** A cipher, and the number of bytes until its 32-bit block counter overflows. */
function begin(key: Uint8Array, counterBlock: Uint8Array): { cipher: Cipher; capacity: number } {
  if (key.length !== keyLength) throw new RangeError("a symmetric key must have 32 bytes");
  if (counterBlock.length !== blockLength) throw new RangeError("a counter block must have 16 bytes");
  const view = new DataView(counterBlock.buffer, counterBlock.byteOffset, counterBlock.length);
  const capacity = (blockNumbers - view.getUint32(blockLength - 4)) * blockLength;
  return { cipher: createCipheriv("aes-256-ctr", key, counterBlock), capacity };
}

function tooLong(): RangeError {
  return new RangeError("the message is too long for its counter");
}
