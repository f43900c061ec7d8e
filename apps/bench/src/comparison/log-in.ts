import { constants, generateKeyPairSync, privateDecrypt, publicEncrypt } from "node:crypto";
import { appName, userNameOf } from "../database/prepare-schema.ts";
import { type LoadRequest, send } from "../processes/load-generator.ts";
import { password } from "../database/sample-data.ts";

/** The log-in request of a sample user. */
export function logInRequest(appKey: string, user: number): LoadRequest {
  return {
    method: "POST",
    path: "/v1/login",
    headers: { appkey: appKey, "content-type": "application/json" },
    body: JSON.stringify({ user: userNameOf(user), pass: password, appNames: [appName] }),
  };
}

/** Sends a log-in request and returns the body of the answer. Throws if the log-in is refused. */
async function answerOf(address: string, request: LoadRequest): Promise<string> {
  const response = await send(address, request);
  const text = await response.text();
  if (!response.ok) throw new Error(`The log-in was refused: ${text}`);
  return text;
}

/** Logs in and returns the session id. */
export async function logIn(address: string, request: LoadRequest): Promise<string> {
  return (JSON.parse(await answerOf(address, request)) as { data: { sessionId: string } }).data.sessionId;
}

/** The log-in request of a sample user in token mode. */
export function tokenLogInRequest(appKey: string, user: number): LoadRequest {
  return { ...logInRequest(appKey, user), path: "/v2/login" };
}

/** Logs in and returns the token. */
export async function logInForToken(address: string, request: LoadRequest): Promise<string> {
  return (JSON.parse(await answerOf(address, request)) as { data: { token: string } }).data.token;
}

const oaep = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: "sha256" };
/** Bytes, for a 2048-bit key. */
const blockSize = 256;
const capacity = 190;

export interface SecureSession {
  /** The `Secure-Token`. */
  readonly token: string;
  readonly key: Buffer;
  readonly ivPrefix: Buffer;
}

/** A client in secure mode, with one key pair for all log-ins. */
export class SecureClient {
  private readonly pair = generateKeyPairSync("rsa", { modulusLength: 2048 });
  private readonly publicKey = this.pair.publicKey.export({ type: "spki", format: "der" }).toString("base64");

  private constructor(
    private readonly appKey: string,
    private readonly serverKey: string,
  ) {}

  static async of(address: string, appKey: string): Promise<SecureClient> {
    const response = await fetch(`${address}/v2/login/secure/key`, { headers: { appkey: appKey } });
    const { data } = (await response.json()) as { data: { key: string } };
    return new SecureClient(appKey, data.key);
  }

  /** A log-in request with fresh ciphertext: the server refuses a repeated block. */
  request(user: number): LoadRequest {
    const { headers, method, body = "" } = logInRequest(this.appKey, user);
    const key = { key: this.serverKey, ...oaep };
    const encrypted = inBlocks(Buffer.from(body), capacity, (block) => publicEncrypt(key, block));
    const secured = { credentials: encrypted.toString("base64"), publicKey: this.publicKey };
    return { method, path: "/v2/login/secure", headers, body: JSON.stringify(secured) };
  }

  async logIn(address: string, user: number): Promise<SecureSession> {
    const encrypted = Buffer.from(await answerOf(address, this.request(user)), "base64");
    const key = { key: this.pair.privateKey, ...oaep };
    const text = inBlocks(encrypted, blockSize, (block) => privateDecrypt(key, block)).toString();
    const { data } = JSON.parse(text) as { data: Record<"sessionId" | "symmetricKey" | "ivPrefix", string> };
    return {
      token: data.sessionId,
      key: Buffer.from(data.symmetricKey, "base64"),
      ivPrefix: Buffer.from(data.ivPrefix, "base64"),
    };
  }
}

function inBlocks(bytes: Buffer, size: number, convert: (block: Buffer) => Buffer): Buffer {
  const blocks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) blocks.push(convert(bytes.subarray(at, at + size)));
  return Buffer.concat(blocks);
}
