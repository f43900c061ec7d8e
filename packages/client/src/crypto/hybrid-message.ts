import { encodeBase64, lenientBase64 } from "@sallyport/contract/secure";
import { decryptBlocks, encryptBlocks, type RsaKey } from "./rsa.ts";
import { type Bytes, webCrypto } from "./web-crypto.ts";

const padding = "OAEP-SHA-256";
const keyLength = 32;
const ivLength = 16;

/** The body of an encrypted log-in, in base64. */
export interface HybridMessage {
  /** 32 random bytes, encrypted with the server's key. */
  readonly aesKey: string;
  /** IV, then AES-256-CBC ciphertext. */
  readonly data: string;
}

/** Encrypts with a new AES key, which is encrypted for the server. */
export async function sealHybrid(serverKey: RsaKey, plain: Bytes): Promise<HybridMessage> {
  const crypto = webCrypto();
  const rawKey = crypto.getRandomValues(new Uint8Array(keyLength));
  const iv = crypto.getRandomValues(new Uint8Array(ivLength));
  const key = await crypto.subtle.importKey("raw", rawKey, "AES-CBC", false, ["encrypt"]);
  const cipher = new Uint8Array(await crypto.subtle.encrypt({ name: "AES-CBC", iv }, key, plain));
  const data = new Uint8Array(ivLength + cipher.length);
  data.set(iv);
  data.set(cipher, ivLength);
  return { aesKey: encodeBase64(await encryptBlocks(serverKey, padding, rawKey)), data: encodeBase64(data) };
}

/** Decrypts a response: base64 of the encrypted AES key, `|`, base64 of IV and ciphertext. `undefined` on failure. */
export async function openHybrid(privateKey: RsaKey, text: string): Promise<Bytes | undefined> {
  const [sealedKey, data, ...more] = text.split("|").map(lenientBase64);
  if (sealedKey === undefined || data === undefined || more.length > 0) return undefined;
  const rawKey = await decryptBlocks(privateKey, sealedKey);
  if (rawKey?.length !== keyLength) return undefined;
  const { subtle } = webCrypto();
  try {
    const key = await subtle.importKey("raw", rawKey, "AES-CBC", false, ["decrypt"]);
    const algorithm = { name: "AES-CBC", iv: data.subarray(0, ivLength) };
    return new Uint8Array(await subtle.decrypt(algorithm, key, data.subarray(ivLength)));
  } catch {
    return undefined;
  }
}
