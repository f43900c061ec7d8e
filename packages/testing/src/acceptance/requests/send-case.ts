import { once } from "node:events";
import { type IncomingMessage, request as requestPlain } from "node:http";
import { request as requestTls } from "node:https";
import { buffer } from "node:stream/consumers";
import type { ClientSession } from "@sallyport/client";
import type { Case } from "../cases/case.ts";

/** An answer as received, with its decrypted text. */
export interface CaseAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** The server and mode for a case. */
export interface Sending {
  readonly url: string;
  readonly path: string;
  readonly appKey: string;
  readonly session?: ClientSession | undefined;
}

interface SendOptions {
  readonly localAddress?: string;
  readonly family?: 4;
}

/** Sends the request of a case, through its session if it has one. */
export async function sendCase(
  { method = "GET", headers, body, json, inCapitals, expect: expected }: Case,
  { url, path, appKey, session }: Sending,
): Promise<CaseAnswer> {
  const asJson = json ?? (body === undefined || typeof body === "string" ? undefined : JSON.stringify(body));
  const type = asJson === undefined ? {} : { "content-type": "application/json" };
  const message = { headers: { appkey: appKey, ...type }, body: asJson ?? (body as string | undefined) };
  const sealed = session === undefined ? message : await session.seal(message);
  const headerEntries = Object.entries({ ...sealed.headers, ...headers }).flatMap(([name, value]) =>
    value === null ? [] : [[inCapitals ? name.toUpperCase() : name, value] as const],
  );
  const bytes = sealed.body === undefined ? undefined : Buffer.from(sealed.body as string | Uint8Array);
  const from = expected.code === 302 ? otherLoopbackAddress(url) : {};
  const answer = await send(url, path, method, Object.fromEntries(headerEntries), bytes, from);
  const arrived = { status: answer.status, headers: new Headers(answer.headers), body: answer.body };
  const opened = session === undefined ? arrived : await session.open(arrived);
  return { status: answer.status, headers: answer.headers, text: new TextDecoder().decode(opened.body) };
}

/** Sends the path as it is: `fetch` would resolve dot segments and encode characters. */
async function send(
  url: string,
  path: string,
  method: string,
  headers: Readonly<Record<string, string>>,
  body: Buffer | undefined,
  options: SendOptions,
) {
  const { protocol, hostname, port, pathname } = new URL(url);
  const start = protocol === "https:" ? requestTls : requestPlain;
  const request = start({
    hostname: hostname.replaceAll(/^\[|\]$/g, ""),
    port,
    path: `${pathname === "/" ? "" : pathname}${path}`.replaceAll(/[^!-~]/gu, encodeURIComponent),
    method,
    headers: { ...headers, ...(body === undefined ? {} : { "content-length": String(body.length) }) },
    ...options,
  });
  // A server that refuses a large body answers before it has read it.
  request.on("error", () => {}).end(body);
  const [answer] = (await once(request, "response")) as [IncomingMessage];
  const received = new Uint8Array(await buffer(answer));
  return { status: answer.statusCode ?? 0, headers: answer.headers as Record<string, string>, body: received };
}

/** Failed log-ins count for their address. On loopback every case can have its own. */
function otherLoopbackAddress(url: string): SendOptions {
  const part = () => 1 + Math.floor(Math.random() * 254);
  const isLoopback = ["127.0.0.1", "localhost"].includes(new URL(url).hostname) && process.platform === "linux";
  return isLoopback ? { localAddress: `127.${part()}.${part()}.${part()}`, family: 4 } : {};
}
