import {
  constants,
  createCipheriv,
  createDecipheriv,
  createPublicKey,
  type KeyObject,
  privateDecrypt,
  publicEncrypt,
  randomBytes,
} from "node:crypto";
import type { LogInMode } from "@sallyport/client";
import { expect } from "../../matchers/expect.ts";
import { clientKey } from "./client-key.ts";

/** How the fields of a log-in are sent in a mode, for fields that no client would send. */
export interface LogInForm {
  readonly path: string;
  /** The body around the fields, in JSON. */
  readonly wrap: (fields: string) => string;
  /** The envelope in the answer to a successful log-in. */
  readonly unwrap: (answer: string) => string;
  /** The credentials in `data`. */
  readonly credentials: Readonly<Record<string, unknown>>;
}

const publicKeyText = () => clientKey().publicKey.export({ type: "spki", format: "pem" });
const padding = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: "sha256" };
/** Bytes of a block that the padding takes. */
const overhead = 66;
const algorithm = "aes-256-cbc";

const sessionId = expect.stringMatching(/^[A-Za-z0-9_-]{43}$/);
const token = expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/);
const ofBytes = (count: number) =>
  expect.stringMatching(new RegExp(`^[A-Za-z0-9+/]{${Math.ceil((4 * count) / 3)}}=*$`));
const asItIs = (text: string) => text;

/** The form of a log-in in this mode, with the key of this server. */
export async function logInForm(url: string, appKey: string, mode: LogInMode): Promise<LogInForm> {
  if (mode === "session") return { path: "/v1/login", wrap: asItIs, unwrap: asItIs, credentials: { sessionId } };
  if (mode === "token") return { path: "/v2/login", wrap: asItIs, unwrap: asItIs, credentials: { token } };
  const path = mode === "secure" ? "/v2/login/secure" : "/v2/login";
  const answer = await fetch(`${url}${path}/key`, { headers: { appkey: appKey } });
  const { data } = (await answer.json()) as { data: { key: string } };
  const serverKey = createPublicKey(data.key);
  const { unwrap, ...form } = mode === "secure" ? secureForm(serverKey) : encryptedForm(serverKey);
  // A refusal is not encrypted.
  return { path, ...form, unwrap: (text) => (text.startsWith("{") ? text : unwrap(text)) };
}

function secureForm(serverKey: KeyObject): Omit<LogInForm, "path"> {
  return {
    wrap: (fields) =>
      JSON.stringify({
        publicKey: publicKeyText(),
        credentials: encryptBlocks(serverKey, Buffer.from(fields)).toString("base64"),
      }),
    unwrap: (answer) => decryptBlocks(Buffer.from(answer, "base64")).toString(),
    credentials: { sessionId: expect.stringMatching(/^[\w-]{80,}$/), symmetricKey: ofBytes(32), ivPrefix: ofBytes(3) },
  };
}

function encryptedForm(serverKey: KeyObject): Omit<LogInForm, "path"> {
  return {
    wrap: (fields) => {
      const [key, iv] = [randomBytes(32), randomBytes(16)];
      const cipher = createCipheriv(algorithm, key, iv);
      const data = Buffer.concat([iv, cipher.update(fields), cipher.final()]).toString("base64");
      return JSON.stringify({
        publicKey: publicKeyText(),
        aesKey: encryptBlocks(serverKey, key).toString("base64"),
        data,
      });
    },
    unwrap: (answer) => {
      const [aesKey = "", data = ""] = answer.split("|");
      const message = Buffer.from(data, "base64");
      const decipher = createDecipheriv(
        algorithm,
        decryptBlocks(Buffer.from(aesKey, "base64")),
        message.subarray(0, 16),
      );
      return Buffer.concat([decipher.update(message.subarray(16)), decipher.final()]).toString();
    },
    credentials: { sessionId, token },
  };
}

const blockSizeOf = (key: KeyObject) => Math.ceil((key.asymmetricKeyDetails?.modulusLength ?? 0) / 8);

const cut = (bytes: Buffer, size: number) =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );

function encryptBlocks(key: KeyObject, plain: Buffer): Buffer {
  return Buffer.concat(cut(plain, blockSizeOf(key) - overhead).map((part) => publicEncrypt({ key, ...padding }, part)));
}

function decryptBlocks(cipher: Buffer): Buffer {
  const key = clientKey().privateKey;
  return Buffer.concat(cut(cipher, blockSizeOf(key)).map((block) => privateDecrypt({ key, ...padding }, block)));
}
