import { constants, createCipheriv, createDecipheriv, hash, publicEncrypt, randomBytes } from "node:crypto";
import type {
  ClientKey,
  CredentialsCipher,
  HybridCipher,
  HybridMessage,
  OpenedCredentials,
  OpenedMessage,
  ServerKeyPair,
} from "@sallyport/core";
import { strictBase64 } from "../strict-base64.ts";
import { clientKeyObject } from "./client-key-object.ts";
import { unpadPkcs7 } from "./unpad-pkcs7.ts";

const algorithm = "aes-256-cbc";
const keyLength = 32;
const blockLength = 16;
const longestData = 65_536;
const longestText = Math.ceil(longestData / 3) * 4;

/** AES-256-CBC by OpenSSL, its padding taken off here; the AES key is opened like credentials. */
export class AesCbcHybridCipher implements HybridCipher {
  constructor(private readonly credentials: CredentialsCipher) {}

  async open({ aesKey, data }: HybridMessage, accepted: readonly ServerKeyPair[]): Promise<OpenedMessage | undefined> {
    const bytes = data.length > longestText ? undefined : strictBase64(data, "base64");
    if (bytes === undefined || bytes.length < 2 * blockLength || bytes.length % blockLength !== 0) return undefined;
    const [iv, blocks] = [bytes.subarray(0, blockLength), bytes.subarray(blockLength)];

    const opened = await this.credentials.open(aesKey, accepted);
    const isKey = opened !== undefined && isAesKey(opened);
    // A wrong key is followed by the same work as a right one.
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
