import {
  constants,
  createCipheriv,
  createDecipheriv,
  createHash,
  type KeyObject,
  privateDecrypt,
  publicEncrypt,
} from "node:crypto";
import http, { type IncomingHttpHeaders } from "node:http";
import { appKey, type Subject } from "../cases/run-cases.ts";
import { client } from "./stored-keys.ts";

/** A client of secure mode that shares no code with the service. */
export interface SecureSession {
  /** The `Secure-Token`. */
  readonly token: string;
  readonly key: Buffer;
  readonly ivPrefix: Buffer;
}

export interface SecureAnswer {
  readonly status: number;
  /** `internalStatus`. */
  readonly code: string;
  /** The counter block of the answer; `null` if it came in clear text. */
  readonly iv: Buffer | null;
  readonly body: ReturnType<typeof JSON.parse>;
}

export interface RawSecureAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

const oaep = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: "sha256" };
export const clientPublicKey = client.text;

export const demoFields = {
  user: "demo",
  pass: createHash("md5").update("demo").digest("hex"),
  appNames: ["demo-app"],
};

export async function serverKey({ url }: Subject): Promise<string> {
  const answer = await fetch(`${url}/v2/login/secure/key`, { headers: { appkey: appKey } });
  return ((await answer.json()) as { data: { key: string } }).data.key;
}

/** Encrypts block by block with OAEP and SHA-256. */
export function encryptFor(key: string | KeyObject, text: string | Uint8Array): Buffer {
  const bytes = Buffer.from(text as string);
  const blocks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += 190)
    blocks.push(publicEncrypt({ key, ...oaep }, bytes.subarray(at, at + 190)));
  return Buffer.concat(blocks as Uint8Array[]);
}

export function decryptBlocks(text: string): string {
  const bytes = Buffer.from(text, "base64");
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += 256) {
    parts.push(privateDecrypt({ key: client.privateKey, ...oaep }, bytes.subarray(at, at + 256)));
  }
  return Buffer.concat(parts as Uint8Array[]).toString();
}

export function postSecureLogIn({ url }: Subject, body: object): Promise<Response> {
  const headers = { appkey: appKey, "content-type": "application/json" };
  return fetch(`${url}/v2/login/secure`, { method: "POST", headers, body: JSON.stringify(body) });
}

export async function logInSecurely(subject: Subject, fields: object = demoFields): Promise<SecureSession> {
  const credentials = encryptFor(await serverKey(subject), JSON.stringify(fields)).toString("base64");
  const answer = await postSecureLogIn(subject, { credentials, publicKey: clientPublicKey });
  const text = await answer.text();
  if (answer.headers.get("encrypted") !== "v=1") throw new Error(`The log-in was refused: ${text}`);
  const { data } = JSON.parse(decryptBlocks(text)) as {
    data: Record<"sessionId" | "symmetricKey" | "ivPrefix", string>;
  };
  return {
    token: data.sessionId,
    key: Buffer.from(data.symmetricKey, "base64"),
    ivPrefix: Buffer.from(data.ivPrefix, "base64"),
  };
}

/** The counter block of a message from the client. */
export function counterBlock({ ivPrefix }: SecureSession, number: bigint, direction = 1): Buffer {
  const block = Buffer.alloc(16);
  block.writeUInt8(direction, 0);
  ivPrefix.copy(block as Uint8Array, 1);
  block.writeBigUInt64BE(number, 4);
  return block;
}

export function encryptMessage({ key }: SecureSession, iv: Buffer, text: string): string {
  const cipher = createCipheriv("aes-256-ctr", key, iv);
  return Buffer.concat([cipher.update(text), cipher.final()] as Uint8Array[]).toString("base64");
}

export interface SecureRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Sends a request of the session and decrypts the answer. */
export async function callSecurely(
  subject: Subject,
  session: SecureSession,
  path: string,
  request: SecureRequest = {},
): Promise<SecureAnswer> {
  const answer = await send(subject.url + path, {
    ...request,
    headers: { appkey: appKey, "secure-token": session.token, ...request.headers },
  });
  return openSecurely(session, answer);
}

/** Decrypts an answer, unless it came in clear text. */
export function openSecurely(session: SecureSession, { status, headers, text }: RawSecureAnswer): SecureAnswer {
  const iv = /^v=1;iv=(.*)$/.exec(String(headers["encrypted"]))?.[1];
  if (iv === undefined)
    return { status, code: JSON.parse(text).status.internalStatus, iv: null, body: JSON.parse(text) };
  const block = Buffer.from(iv, "base64");
  const cipher = createDecipheriv("aes-256-ctr", session.key, block);
  const plain = JSON.parse(Buffer.concat([cipher.update(text, "base64"), cipher.final()] as Uint8Array[]).toString());
  return { status, code: plain.status.internalStatus, iv: block, body: plain };
}

/** Sends an encrypted message to a route that only checks it. */
export function sendMessage(
  subject: Subject,
  session: SecureSession,
  number: bigint,
  more: { iv?: Buffer; text?: string } = {},
): Promise<SecureAnswer> {
  const { iv = counterBlock(session, number), text = "{}" } = more;
  return callSecurely(subject, session, "/_CheckSession", {
    headers: { "content-type": "application/text", encrypted: `v=1;iv=${iv.toString("base64")}` },
    body: encryptMessage(session, iv, text),
  });
}

/** Any method may have a body here, unlike in `fetch`. */
function send(url: string, { method = "GET", headers, body }: SecureRequest): Promise<RawSecureAnswer> {
  return new Promise((resolve, reject) => {
    const lengthOf = body === undefined ? {} : { "content-length": Buffer.byteLength(body) };
    const sent = http.request(url, { method, headers: { ...headers, ...lengthOf } }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (part: string) => (text += part));
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
    });
    sent.on("error", reject).end(body);
  });
}
