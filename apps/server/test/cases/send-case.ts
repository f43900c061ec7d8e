import { Agent } from "node:http";
import type { ClientSession } from "@sallyport/client";
import request from "supertest";
import type { Case } from "./case.ts";

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

/** Sends the request of a case, through its session if it has one. */
export async function sendCase(
  { method, headers, body, json, inCapitals, expect: expected }: Case,
  { url, path, appKey, session }: Sending,
): Promise<CaseAnswer> {
  const verb = (method ?? "GET").toLowerCase() as "get";
  const sent = request(url)
    [verb](path)
    .ok(() => true)
    .buffer(true)
    .parse(asBytes);
  const asJson = json ?? (body === undefined || typeof body === "string" ? undefined : JSON.stringify(body));
  const type = asJson === undefined ? {} : { "content-type": "application/json" };
  const message = { headers: { appkey: appKey, ...type }, body: asJson ?? (body as string | undefined) };
  const sealed = session === undefined ? message : await session.seal(message);
  for (const [name, value] of Object.entries({ ...sealed.headers, ...headers })) {
    if (value !== null) sent.set(inCapitals ? name.toUpperCase() : name, value);
  }
  if (expected.code === 302) sent.agent(agentOfOtherAddress(url));
  if (sealed.body !== undefined) {
    sent.send(sealed.body as string);
    // Supertest adds a content type to a text, which the case did not set.
    if (!("content-type" in { ...sealed.headers, ...headers }) || headers?.["content-type"] === null)
      sent.unset("content-type");
  }
  const answer = await sent;
  const arrived = {
    status: answer.status,
    headers: new Headers(answer.headers),
    body: Uint8Array.from((answer.body as Buffer | undefined) ?? []),
  };
  const opened = session === undefined ? arrived : await session.open(arrived);
  return { status: answer.status, headers: answer.headers, text: new TextDecoder().decode(opened.body) };
}

/** For Supertest, which would check the content type. */
function asBytes(answer: request.Response, done: (error: Error | null, bytes: Buffer) => void): void {
  const parts: Buffer[] = [];
  const stream = answer as unknown as NodeJS.ReadableStream;
  stream.on("data", (part: Buffer) => parts.push(part));
  stream.on("end", () => done(null, Buffer.concat(parts)));
}

/** Failed log-ins count for their address; on loopback every case can have its own. */
function agentOfOtherAddress(url: string): Agent {
  const part = () => 1 + Math.floor(Math.random() * 254);
  const loopback = new URL(url).hostname === "127.0.0.1" && process.platform === "linux";
  return new Agent(loopback ? { localAddress: `127.${part()}.${part()}.${part()}` } : {});
}
