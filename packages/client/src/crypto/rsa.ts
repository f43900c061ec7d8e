import { decodeBase64, encodeBase64 } from "@sallyport/contract/secure";
import { ChannelError } from "../errors.ts";
import { type Bytes, webCrypto } from "./web-crypto.ts";

/** How RSA blocks are padded. */
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

/** A key of WebCrypto. Named by what takes it, which Node and browsers have in common. */
export type RsaKey = Parameters<typeof crypto.subtle.encrypt>[1];

/** Length in bytes of the blocks that a key makes and takes. */
function blockLengthOf(key: RsaKey): number {
  return Math.ceil((key.algorithm as RsaHashedKeyAlgorithm).modulusLength / 8);
}

/** Whether a key was made for this padding; WebCrypto binds a key to its hash. */
function isFor(key: RsaKey, padding: RsaPadding): boolean {
  const { name, hash } = key.algorithm as RsaHashedKeyAlgorithm;
  return name === "RSA-OAEP" && hash.name === rsaSchemes[padding].hash;
}

const rsaOaep = { name: "RSA-OAEP" };

/** Encrypts bytes block by block, each as full as the padding allows; no bytes become one block. */
export async function encryptBlocks(key: RsaKey, padding: RsaPadding, plain: Bytes): Promise<Bytes> {
  const capacity = blockLengthOf(key) - rsaSchemes[padding].overhead;
  const parts = piecesOf(plain, capacity);
  return joined(await Promise.all(parts.map((part) => webCrypto().subtle.encrypt(rsaOaep, key, part))));
}

/** The bytes of all blocks, joined; `undefined` for what was not encrypted for this key in its padding. */
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

/** The client's RSA pair: the server encrypts its answer to a log-in for it. */
export interface ClientKeyPair {
  readonly publicKey: RsaKey;
  readonly privateKey: RsaKey;
}

/** A new pair of 2048 bits, whose private half cannot be taken out of the platform. */
export async function generateKeyPair(padding: RsaPadding): Promise<ClientKeyPair> {
  const { hash } = rsaSchemes[padding];
  const algorithm = { name: "RSA-OAEP", modulusLength: 2048, publicExponent: Uint8Array.of(1, 0, 1), hash };
  return webCrypto().subtle.generateKey(algorithm, false, ["encrypt", "decrypt"]);
}

/** Refuses a pair that could not decrypt the answer, before anything is sent. Throws a `TypeError`. */
export function checkKeyPair({ publicKey, privateKey }: ClientKeyPair, padding: RsaPadding): void {
  if (!isFor(publicKey, padding) || !isFor(privateKey, padding) || !privateKey.usages.includes("decrypt")) {
    throw new TypeError(`The key pair is not one of RSA-OAEP with ${rsaSchemes[padding].hash} that may decrypt.`);
  }
}

/** Base64 of the public half as SubjectPublicKeyInfo, as it goes along with a log-in. */
export async function publicKeyText({ publicKey }: ClientKeyPair): Promise<string> {
  return encodeBase64(new Uint8Array(await webCrypto().subtle.exportKey("spki", publicKey)));
}

const pem = /^-----BEGIN PUBLIC KEY-----([A-Za-z0-9+/=\s]+)-----END PUBLIC KEY-----$/;
const smallest = 2048 / 8;

/** The server's key from its PEM text, for encrypting in this padding. */
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
  if (blockLengthOf(key) < smallest) throw new ChannelError("server-key");
  return key;
}
