import {
  constants,
  createCipheriv,
  createDecipheriv,
  createHash,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  privateDecrypt,
  publicEncrypt,
  randomBytes,
} from "node:crypto";
import type { Fetch } from "@sallyport/client";
import { secureMode } from "@sallyport/test-kit/crypto/secure-mode-vectors";
import { FakeChannel } from "./fake-channel.ts";

/** A request as it arrived, its body decrypted. */
export interface Arrived {
  readonly method: string;
  readonly url: URL;
  readonly path: string;
  readonly headers: Headers;
  /** As sent over the network. */
  readonly wire: string;
  readonly body: string;
  readonly channel: FakeChannel | undefined;
}

interface FakeSession {
  readonly header: string;
  readonly value: string;
  readonly channel?: FakeChannel;
}

export type Handler = (arrived: Arrived) => Response | Promise<Response>;

const privateKey = createPrivateKey({ key: secureMode.serverKey.jwk, format: "jwk" });
const publicPem = createPublicKey(privateKey)
  .export({ type: "spki", format: "pem" })
  .toString()
  .replaceAll("\n", "\r\n");
const hashes = { "OAEP-SHA-256": "sha256", "OAEP-SHA-1": "sha1" } as const;
const md5 = (text: string) => createHash("md5").update(text).digest("hex");

export const user = { "~ClassName": "User", "~ObjectID": "G", "~StoreTime": "20300101T000000+00:00", Name: "demo" };

export function success(data: unknown, headers: Record<string, string> = {}): Response {
  return json({ status: { internalStatus: "0", statusMessage: "ok" }, data }, 200, headers);
}

export function refusal(code: number, httpStatus: number, headers: Record<string, string> = {}): Response {
  return json({ status: { internalStatus: String(code), statusMessage: `Failure ${code}` } }, httpStatus, headers);
}

function json(value: unknown, status: number, headers: Record<string, string>): Response {
  return new Response(JSON.stringify(value), {
    status,
    headers: { "content-type": "application/json; charset=utf-8", "x-request-id": "r-1", ...headers },
  });
}

/**
 * A server according to the wire contract, made with Node's own cryptography, behind the signature of `fetch`. It has
 * one user, `demo`, with the password `demo`, and four log-in modes.
 */
export class FakeServer {
  readonly arrived: Arrived[] = [];
  readonly sessions = new Set<FakeSession>();
  /** Routes of a test. They take precedence, and see plain contents. */
  readonly routes = new Map<string, Handler>();
  /** The padding of secure log-ins. */
  padding: keyof typeof hashes = "OAEP-SHA-256";
  password = "demo";
  appKey = "key";

  readonly fetch: Fetch = async (input, init) => {
    const url = new URL(String(input));
    init?.signal?.throwIfAborted();
    const wire =
      init?.body === undefined || init.body === null ? Buffer.alloc(0) : Buffer.from(init.body as Uint8Array);
    return this.#answer({ method: init?.method ?? "GET", url, headers: new Headers(init?.headers), wire });
  };

  /** Paths of the requests so far, with their methods. */
  get log(): string[] {
    return this.arrived.map(({ method, path }) => `${method} ${path}`);
  }

  count(entry: string): number {
    return this.log.filter((each) => each === entry).length;
  }

  endSessions(): void {
    this.sessions.clear();
  }

  async #answer({
    method,
    url,
    headers,
    wire,
  }: {
    method: string;
    url: URL;
    headers: Headers;
    wire: Buffer;
  }): Promise<Response> {
    const path = url.pathname;
    const session = [...this.sessions].find(({ header, value }) => headers.get(header) === value);
    const { channel } = session ?? {};
    const isText = headers.get("content-type") === "application/text";
    const plain = channel && wire.length > 0 ? channel.open(headers.get("encrypted"), wire, isText) : wire;
    const arrived = {
      method,
      url,
      path,
      headers,
      wire: wire.toString("latin1"),
      body: Buffer.from(plain ?? []).toString(),
      channel,
    };
    this.arrived.push(arrived);
    if (headers.get("appkey") !== this.appKey) return refusal(101, 401);
    const handler = this.routes.get(path) ?? this.#open(path);
    if (handler !== undefined) return handler(arrived);
    if (session === undefined) return this.#withoutSession(headers);
    const answer = plain === undefined ? refusal(312, 400) : await this.#inSession(arrived, session);
    return channel === undefined ? answer : sealed(channel, answer);
  }

  #withoutSession(headers: Headers): Response {
    if (headers.has("authorization") || headers.has("secure-token")) return refusal(203, 401);
    return headers.has("sessionid") ? refusal(201, 401) : refusal(200, 400);
  }

  async #inSession(arrived: Arrived, session: FakeSession): Promise<Response> {
    if (arrived.path === "/v1/logout") this.sessions.delete(session);
    const handler = this.routes.get(`session ${arrived.path}`);
    return handler === undefined ? success({}) : handler(arrived);
  }

  #open(path: string): Handler | undefined {
    const routes: Record<string, Handler> = {
      "/_CheckService": () => success({ applicationName: "fake", applicationVersion: "2.2.0" }),
      "/v1/login": ({ body }) =>
        this.#enter(JSON.parse(body), { header: "sessionid", value: secret() }, (value) => ({ sessionId: value })),
      "/v2/login": ({ body }) => this.#logInWithToken(JSON.parse(body)),
      "/v2/login/key": () => success({ key: publicPem, keyId: "k", paddings: ["OAEP-SHA-256"] }),
      "/v2/login/secure/key": () => success({ key: publicPem, keyId: "k", paddings: Object.keys(hashes) }),
      "/v2/login/secure": ({ body }) => this.#logInSecurely(JSON.parse(body)),
    };
    return routes[path];
  }

  #enter(fields: Record<string, unknown>, session: FakeSession, credential: (value: string) => object): Response {
    if (fields["user"] !== "demo" || ![this.password, md5(this.password)].includes(String(fields["pass"])))
      return refusal(302, 403);
    this.sessions.add(session);
    return success({ ...credential(session.value), user, databaseName: "demo" });
  }

  #logInWithToken(body: Record<string, string>): Response | Promise<Response> {
    const token = secret();
    const session = { header: "authorization", value: `Bearer ${token}` };
    if (body["aesKey"] === undefined) return this.#enter(body, session, () => ({ token }));
    const key = privateDecrypt({ key: privateKey, ...oaep("sha256") }, Buffer.from(body["aesKey"], "base64"));
    const data = Buffer.from(body["data"] ?? "", "base64");
    const decipher = createDecipheriv("aes-256-cbc", key, data.subarray(0, 16));
    const fields = JSON.parse(Buffer.concat([decipher.update(data.subarray(16)), decipher.final()]).toString());
    const answer = this.#enter(fields, session, () => ({ sessionId: secret(), token }));
    return answer.ok ? sealedOnce(answer, (plain) => hybrid(clientKey(body), plain)) : answer;
  }

  #logInSecurely(body: Record<string, string>): Response | Promise<Response> {
    const hash = hashes[this.padding];
    const blocks = cut(Buffer.from(body["credentials"] ?? "", "base64"), 256);
    const fields = JSON.parse(
      Buffer.concat(blocks.map((block) => privateDecrypt({ key: privateKey, ...oaep(hash) }, block))).toString(),
    );
    const channel = new FakeChannel();
    const keys = { symmetricKey: channel.key.toString("base64"), ivPrefix: channel.ivPrefix.toString("base64") };
    const answer = this.#enter(fields, { header: "secure-token", value: secret(), channel }, (sessionId) => ({
      sessionId,
      ...keys,
    }));
    const key = clientKey(body);
    const capacity = (key.asymmetricKeyDetails?.modulusLength ?? 0) / 8 - (hash === "sha256" ? 66 : 42);
    if (!answer.ok) return answer;
    return sealedOnce(answer, (plain) =>
      Buffer.concat(cut(plain, capacity).map((piece) => publicEncrypt({ key, ...oaep(hash) }, piece))).toString(
        "base64",
      ),
    );
  }
}

const secret = () => randomBytes(32).toString("base64url");
const oaep = (oaepHash: string) => ({ padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash });

function clientKey({ publicKey = "" }: Record<string, string>): KeyObject {
  return createPublicKey({ key: Buffer.from(publicKey, "base64"), format: "der", type: "spki" });
}

function cut(bytes: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
}

function hybrid(key: KeyObject, plain: Buffer): string {
  const [aesKey, iv] = [randomBytes(32), randomBytes(16)];
  const cipher = createCipheriv("aes-256-cbc", aesKey, iv);
  const data = Buffer.concat([iv, cipher.update(plain), cipher.final()]);
  return `${publicEncrypt({ key, ...oaep("sha256") }, aesKey).toString("base64")}|${data.toString("base64")}`;
}

async function sealedOnce(answer: Response, seal: (plain: Buffer) => string): Promise<Response> {
  const body = seal(Buffer.from(await answer.arrayBuffer()));
  return new Response(body, { headers: { "content-type": "text/plain; charset=utf-8", encrypted: "v=1" } });
}

async function sealed(channel: FakeChannel, answer: Response): Promise<Response> {
  const asText = /json/.test(answer.headers.get("content-type") ?? "");
  const { body, headers } = channel.seal(Buffer.from(await answer.arrayBuffer()), { asText });
  return new Response(Uint8Array.from(body), {
    status: answer.status,
    headers: { ...Object.fromEntries(answer.headers), ...headers },
  });
}
