import { decodeBase64, encodeBase64 } from "@sallyport/contract/secure";
import { ChannelError } from "../errors.ts";
import { type Bytes, webCrypto } from "./web-crypto.ts";

/** RSA padding. */
export type RsaPadding = "OAEP-SHA-256" | "OAEP-SHA-1";

interface RsaScheme {
  readonly hash: "SHA-256" | "SHA-1";
  /** Bytes of a block that the padding takes. */
  readonly overhead: number;
}

export const rsaSchemes: Readonly<Record<RsaPadding, RsaScheme>> = {
  "OAEP-SHA-256": { hash: "SHA-256", overhead: 66 },
  "OAEP-SHA-1": { hash: "SHA-1", overhead: 42 },
};

/** A WebCrypto key. This type is available both in Node and in browsers. */
export type RsaKey = Parameters<typeof crypto.subtle.encrypt>[1];

/** Block length of a key in bytes. */
function blockLengthOf(key: RsaKey): number {
  return Math.ceil((key.algorithm as RsaHashedKeyAlgorithm).modulusLength / 8);
}

/** Whether a key fits the padding. WebCrypto binds a key to its hash. */
function isFor(key: RsaKey, padding: RsaPadding): boolean {
  const { name, hash } = key.algorithm as RsaHashedKeyAlgorithm;
  return name === "RSA-OAEP" && hash.name === rsaSchemes[padding].hash;
}

const rsaOaep = { name: "RSA-OAEP" };

/** Encrypts bytes in blocks of maximum size. Empty input yields one block. */
export async function encryptBlocks(key: RsaKey, padding: RsaPadding, plain: Bytes): Promise<Bytes> {
  const capacity = blockLengthOf(key) - rsaSchemes[padding].overhead;
  const parts = piecesOf(plain, capacity);
  return joined(await Promise.all(parts.map((part) => webCrypto().subtle.encrypt(rsaOaep, key, part))));
}

/** Decrypts and joins all blocks. `undefined` on failure. */
export async function decryptBlocks(key: RsaKey, cipher: Bytes): Promise<Bytes | undefined> {
  const length = blockLengthOf(key);
  if (cipher.length === 0 || cipher.length % length !== 0) return undefined;
  try {
    return joined(
      await Promise.all(piecesOf(cipher, length).map((part) => webCrypto().subtle.decrypt(rsaOaep, key, part))),
    );
  } catch {
    return undefined;
  }
}

function piecesOf(bytes: Bytes, length: number): Bytes[] {
  const count = Math.max(1, Math.ceil(bytes.length / length));
  return Array.from({ length: count }, (_, index) => bytes.subarray(index * length, (index + 1) * length));
}

function joined(parts: readonly ArrayBuffer[]): Bytes {
  const whole = new Uint8Array(parts.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(new Uint8Array(part), at);
    at += part.byteLength;
  }
  return whole;
}

/** The client's RSA key pair. The server encrypts its log-in response with it. */
export interface ClientKeyPair {
  readonly publicKey: RsaKey;
  readonly privateKey: RsaKey;
}

/** Generates a 2048-bit key pair. The private key cannot be exported. */
export async function generateKeyPair(padding: RsaPadding): Promise<ClientKeyPair> {
  const { hash } = rsaSchemes[padding];
  const algorithm = { name: "RSA-OAEP", modulusLength: 2048, publicExponent: Uint8Array.of(1, 0, 1), hash };
  return webCrypto().subtle.generateKey(algorithm, false, ["encrypt", "decrypt"]);
}

/** Throws a `TypeError` for a key pair that cannot decrypt the response. */
export function checkKeyPair({ publicKey, privateKey }: ClientKeyPair, padding: RsaPadding): void {
  if (!isFor(publicKey, padding) || !isFor(privateKey, padding) || !privateKey.usages.includes("decrypt")) {
    throw new TypeError(`The key pair must be for RSA-OAEP with ${rsaSchemes[padding].hash} and allow decryption.`);
  }
}

/** The public key as base64 of SubjectPublicKeyInfo. */
export async function publicKeyText({ publicKey }: ClientKeyPair): Promise<string> {
  return encodeBase64(new Uint8Array(await webCrypto().subtle.exportKey("spki", publicKey)));
}

const pem = /^-----BEGIN PUBLIC KEY-----([A-Za-z0-9+/=\s]+)-----END PUBLIC KEY-----$/;
const minBlockLength = 2048 / 8;

/** Parses the server's PEM key for this padding. Throws a `ChannelError` for an unusable key. */
export async function readServerKey(text: string, padding: RsaPadding): Promise<RsaKey> {
  const [, body = ""] = pem.exec(text.trim()) ?? [];
  const der = decodeBase64(body.replaceAll(/\s+/g, ""));
  if (der === undefined || der.length === 0) throw new ChannelError("server-key");
  const { subtle } = webCrypto();
  const algorithm = { name: "RSA-OAEP", hash: rsaSchemes[padding].hash };
  let key: RsaKey;
  try {
    key = await subtle.importKey("spki", new Uint8Array(der), algorithm, false, ["encrypt"]);
  } catch (cause) {
    throw new ChannelError("server-key", { cause });
  }
  if (blockLengthOf(key) < minBlockLength) throw new ChannelError("server-key");
  return key;
}
