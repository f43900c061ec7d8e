import {
  constants,
  createCipheriv,
  createDecipheriv,
  createPublicKey,
  generateKeyPairSync,
  privateDecrypt,
  publicEncrypt,
  randomBytes,
} from "node:crypto";
import type { Json } from "@sallyport/testing/acceptance";
import { readEnvelope, type Received, type StrictClient } from "./strict-client.ts";

const oaep = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: "sha256" };

const pair = generateKeyPairSync("rsa", { modulusLength: 2048 });
const pem = pair.publicKey.export({ type: "spki", format: "pem" }) as string;
const der = pair.publicKey.export({ type: "spki", format: "der" });

/** The notations of a key that clients send. */
export const keySpellings: Readonly<Record<string, string>> = {
  PEM: pem,
  "PEM with CR LF": pem.replaceAll("\n", "\r\n"),
  "PEM with indented lines": `\n${pem.replaceAll(/^/gm, "        ")}`,
  "PEM with indented lines and CR LF": pem.replaceAll(/^/gm, "\t").replaceAll("\n", "\r\n"),
  "base64 of DER": der.toString("base64"),
  "base64 of PEM": Buffer.from(pem).toString("base64"),
};

/** The server's key as answered: PEM in SPKI with CR LF. */
export async function fetchServerKey(client: StrictClient): Promise<string> {
  const data = await client.ok({ path: "/v2/login/key", headers: { "Content-Type": "application/json" } });
  expect(data.key).toMatch(
    /^-----BEGIN PUBLIC KEY-----\r\n(?:[A-Za-z0-9+/]{64}\r\n)+(?:[A-Za-z0-9+/]{1,63}={0,2}\r\n)?-----END PUBLIC KEY-----(?:\r\n)?$/,
  );
  return data.key;
}

/** The body of the encrypted form for these fields. */
export function encryptFields(
  serverKey: string,
  fields: unknown,
  publicKey = pem,
): { aesKey: string; data: string; publicKey: string } {
  const [key, iv] = [randomBytes(32), randomBytes(16)];
  const cipher = createCipheriv("aes-256-cbc", key, iv);
  const data = Buffer.concat([
    iv,
    cipher.update(typeof fields === "string" ? fields : JSON.stringify(fields)),
    cipher.final(),
  ]);
  const aesKey = publicEncrypt({ key: createPublicKey(serverKey), ...oaep }, key);
  return { aesKey: aesKey.toString("base64"), data: data.toString("base64"), publicKey };
}

/** Decrypts the answer to a successful log-in, and reads its envelope. */
export function decryptAnswer({ status, headers, text }: Received): Json {
  expect({ status, text: status === 200 ? "" : text }).toEqual({ status: 200, text: "" });
  expect([headers["content-type"], headers["encrypted"]]).toEqual(["text/plain; charset=utf-8", "v=1"]);
  expect(text).toMatch(/^[A-Za-z0-9+/]{342}==\|[A-Za-z0-9+/]+={0,2}$/);
  const [sealedKey, data] = text.split("|").map((part) => Buffer.from(part, "base64")) as [Buffer, Buffer];
  const key = privateDecrypt({ key: pair.privateKey, ...oaep }, sealedKey);
  expect([key.length, data.length % 16]).toEqual([32, 0]);
  const decipher = createDecipheriv("aes-256-cbc", key, data.subarray(0, 16));
  const inner = Buffer.concat([decipher.update(data.subarray(16)), decipher.final()]).toString();
  const plainHeaders = {
    ...headers,
    "content-type": "application/json; charset=utf-8",
    "content-length": String(Buffer.byteLength(inner)),
  };
  return readEnvelope({ status, headers: plainHeaders, text: inner }, "0").data;
}
