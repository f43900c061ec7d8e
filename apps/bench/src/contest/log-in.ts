import { constants, generateKeyPairSync, privateDecrypt, publicEncrypt } from "node:crypto";
import { appName, userNameOf } from "../database/prepare-schema.ts";
import type { LoadRequest } from "../processes/load-generator.ts";
import { password } from "../database/sample-data.ts";

/** The request with which a user that was filled in logs in. */
export function logInRequest(appKey: string, user: number, alias = ""): LoadRequest {
  return {
    method: "POST",
    path: `${alias}/v1/login`,
    headers: { appkey: appKey, "content-type": "application/json" },
    body: JSON.stringify({ user: userNameOf(user), pass: password, appNames: [appName] }),
  };
}

/** Logs in and gives the session id. */
export async function logIn(address: string, { path, headers, body }: LoadRequest): Promise<string> {
  const response = await fetch(address + path, { method: "POST", headers, body: body ?? null });
  const text = await response.text();
  if (!response.ok) throw new Error(`The log-in was refused: ${text}`);
  return (JSON.parse(text) as { data: { sessionId: string } }).data.sessionId;
}

/** The request with which a user that was filled in logs in for a token. */
export function tokenLogInRequest(appKey: string, user: number): LoadRequest {
  return { ...logInRequest(appKey, user), path: "/v2/login" };
}

/** Logs in and gives the token. */
export async function logInForToken(address: string, { path, headers, body }: LoadRequest): Promise<string> {
  const response = await fetch(address + path, { method: "POST", headers, body: body ?? null });
  const text = await response.text();
  if (!response.ok) throw new Error(`The log-in was refused: ${text}`);
  return (JSON.parse(text) as { data: { token: string } }).data.token;
}

const oaep = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: "sha256" };
/** Of keys with 2048 bits. */
const blockSize = 256;
const capacity = 190;

/** Logs in in secure mode, with one key pair for all log-ins. */
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

  /** A log-in whose credentials were never sent before. */
  request(user: number): LoadRequest {
    const { headers, method, body = "" } = logInRequest(this.appKey, user);
    const text = Buffer.from(body);
    const blocks: Uint8Array[] = [];
    for (let at = 0; at < text.length; at += capacity) {
      blocks.push(publicEncrypt({ key: this.serverKey, ...oaep }, text.subarray(at, at + capacity)));
    }
    const credentials = Buffer.concat(blocks).toString("base64");
    return {
      method,
      path: "/v2/login/secure",
      headers,
      body: JSON.stringify({ credentials, publicKey: this.publicKey }),
    };
  }

  /** Logs in and gives the `Secure-Token`. */
  async logIn(address: string, user: number): Promise<string> {
    const { path, headers, body } = this.request(user);
    const response = await fetch(address + path, { method: "POST", headers, body: body ?? null });
    const text = await response.text();
    if (!response.ok) throw new Error(`The log-in was refused: ${text}`);
    const bytes = Buffer.from(text, "base64");
    const parts: Uint8Array[] = [];
    for (let at = 0; at < bytes.length; at += blockSize) {
      parts.push(privateDecrypt({ key: this.pair.privateKey, ...oaep }, bytes.subarray(at, at + blockSize)));
    }
    return (JSON.parse(Buffer.concat(parts).toString()) as { data: { sessionId: string } }).data.sessionId;
  }
}
