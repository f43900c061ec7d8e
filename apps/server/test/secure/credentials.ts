import { createCipheriv, createDecipheriv, createHash, privateDecrypt, randomBytes, constants } from "node:crypto";
import type { RsaPadding } from "@sallyport/core";
import { blockSize, cut, decryptOaep, decryptRaw, encryptBlocks } from "@sallyport/test-kit/crypto/rsa-blocks";
import { type ClientKeys, client, serverRsaKey } from "./stored-keys.ts";

// The client's side of the encrypted log-ins, with Node alone.

export const goodFields = {
  user: "demo",
  pass: createHash("md5").update("demo").digest("hex"),
  appNames: ["demo-app"],
};

const textOf = (contents: unknown) =>
  typeof contents === "string"
    ? Buffer.from(contents)
    : Buffer.isBuffer(contents)
      ? contents
      : Buffer.from(JSON.stringify(contents));

/** The cipher blocks of `credentials`. Texts and bytes are encrypted unchanged, anything else as JSON. */
export function blocksOf(contents: unknown = goodFields, padding: RsaPadding = "OAEP-SHA-256"): Buffer {
  return encryptBlocks(serverRsaKey, padding, textOf(contents));
}

export const credentialsOf = (contents?: unknown, padding?: RsaPadding): string =>
  blocksOf(contents, padding).toString("base64");

/** Body of a secure log-in. */
export function secureBody(
  contents?: unknown,
  padding?: RsaPadding,
  keys: ClientKeys = client,
): { publicKey: string; credentials: string } {
  return { publicKey: keys.text, credentials: credentialsOf(contents, padding) };
}

/** The envelope in the answer to a secure log-in. */
export function openAnswer(
  text: string,
  padding: RsaPadding = "OAEP-SHA-256",
  { privateKey }: ClientKeys = client,
): ReturnType<typeof JSON.parse> {
  const blocks = Buffer.from(text, "base64");
  if (padding !== "PKCS1-v1_5") return JSON.parse(decryptOaep(privateKey, padding, blocks).toString());
  const contents = cut(blocks, blockSize(privateKey)).map((block) => {
    const raw = decryptRaw(privateKey, block);
    return raw.subarray(raw.indexOf(0, 2) + 1);
  });
  return JSON.parse(Buffer.concat(contents).toString());
}

interface HybridParts {
  readonly contents?: unknown;
  readonly aesKey?: Buffer;
  /** The encrypted AES key. */
  readonly sealedKey?: string;
  readonly iv?: Buffer;
  readonly padding?: RsaPadding;
  readonly keys?: ClientKeys;
}

/** Body of the encrypted form of `POST /v2/login`. */
export function hybridBody({
  contents = goodFields,
  aesKey = randomBytes(32),
  sealedKey,
  iv = randomBytes(16),
  padding = "OAEP-SHA-256",
  keys = client,
}: HybridParts = {}) {
  const cipher = createCipheriv("aes-256-cbc", aesKey, iv);
  const data = Buffer.concat([iv, cipher.update(textOf(contents)), cipher.final()] as Uint8Array[]).toString("base64");
  return {
    aesKey: sealedKey ?? encryptBlocks(serverRsaKey, padding, aesKey).toString("base64"),
    data,
    publicKey: keys.text,
  };
}

/** The envelope in the answer to it. */
export function openHybridAnswer(text: string, { privateKey }: ClientKeys = client): ReturnType<typeof JSON.parse> {
  const [sealedKey = "", data = ""] = text.split("|").map((part) => Buffer.from(part, "base64"));
  const options = { key: privateKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: "sha256" };
  const bytes = Buffer.from(data);
  const decipher = createDecipheriv(
    "aes-256-cbc",
    privateDecrypt(options, Buffer.from(sealedKey)),
    bytes.subarray(0, 16),
  );
  return JSON.parse(Buffer.concat([decipher.update(bytes.subarray(16)), decipher.final()] as Uint8Array[]).toString());
}
