import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  randomBytes,
} from "node:crypto";
import type { LogInMode } from "@sallyport/client";
import { decryptOaep, encryptBlocks } from "@sallyport/test-kit/crypto/rsa-blocks";
import { secureMode } from "@sallyport/test-kit/crypto/secure-mode-vectors";
import { appKey, type Subject } from "./subject.ts";

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

const clientKey = createPrivateKey({ key: secureMode.clientKeys.rsa2048.jwk, format: "jwk" });
const publicKey = createPublicKey(clientKey).export({ type: "spki", format: "pem" });
const padding = "OAEP-SHA-256";
const algorithm = "aes-256-cbc";

const sessionId = expect.stringMatching(/^[A-Za-z0-9_-]{43}$/);
const token = expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/);
const ofBytes = (count: number) =>
  expect.stringMatching(new RegExp(`^[A-Za-z0-9+/]{${Math.ceil((4 * count) / 3)}}=*$`));
const asItIs = (text: string) => text;

/** The form of a log-in in this mode, with the key of this server. */
export async function logInForm({ url }: Subject, mode: LogInMode): Promise<LogInForm> {
  if (mode === "session") return { path: "/v1/login", wrap: asItIs, unwrap: asItIs, credentials: { sessionId } };
  if (mode === "token") return { path: "/v2/login", wrap: asItIs, unwrap: asItIs, credentials: { token } };
  const path = mode === "secure" ? "/v2/login/secure" : "/v2/login";
  const answer = await fetch(`${url}${path}/key`, { headers: { appkey: appKey } });
  const { data } = (await answer.json()) as { data: { key: string } };
  const serverKey = createPublicKey(data.key);
  return mode === "secure" ? { path, ...secureForm(serverKey) } : { path, ...encryptedForm(serverKey) };
}

function secureForm(serverKey: KeyObject): Omit<LogInForm, "path"> {
  return {
    wrap: (fields) =>
      JSON.stringify({
        publicKey,
        credentials: encryptBlocks(serverKey, padding, Buffer.from(fields)).toString("base64"),
      }),
    unwrap: (answer) => decryptOaep(clientKey, padding, Buffer.from(answer, "base64")).toString(),
    credentials: { sessionId: expect.stringMatching(/^[\w-]{80,}$/), symmetricKey: ofBytes(32), ivPrefix: ofBytes(3) },
  };
}

function encryptedForm(serverKey: KeyObject): Omit<LogInForm, "path"> {
  return {
    wrap: (fields) => {
      const [key, iv] = [randomBytes(32), randomBytes(16)];
      const cipher = createCipheriv(algorithm, key, iv);
      const data = Buffer.concat([iv, cipher.update(fields), cipher.final()]).toString("base64");
      return JSON.stringify({ publicKey, aesKey: encryptBlocks(serverKey, padding, key).toString("base64"), data });
    },
    unwrap: (answer) => {
      const [aesKey = "", data = ""] = answer.split("|");
      const message = Buffer.from(data, "base64");
      const decipher = createDecipheriv(
        algorithm,
        decryptOaep(clientKey, padding, Buffer.from(aesKey, "base64")),
        message.subarray(0, 16),
      );
      return Buffer.concat([decipher.update(message.subarray(16)), decipher.final()]).toString();
    },
    credentials: { sessionId, token },
  };
}
