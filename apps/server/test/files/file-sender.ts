import { createHash } from "node:crypto";
import { once } from "node:events";
import { type ClientRequest, request as startRequest } from "node:http";
import type { ClientSession } from "@sallyport/client";
import type { RunningServer } from "../../src/index.ts";
import { appKey } from "../subject.ts";

export interface FileAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The body, decrypted in a secure session. */
  readonly bytes: Buffer;
  /** `internalStatus`; `undefined` for a file. */
  readonly code: string;
  readonly data: ReturnType<typeof JSON.parse>;
}

/** Sends a request of a session in any mode. An object is sent as JSON. */
export type Sender = (
  method: string,
  path: string,
  body?: Buffer | string | object,
  headers?: Readonly<Record<string, string>>,
) => Promise<FileAnswer>;

export const senderOf =
  (server: () => RunningServer, session: () => ClientSession): Sender =>
  async (method, path, body, headers = {}) => {
    const isBytes = Buffer.isBuffer(body) || typeof body === "string";
    const type = body === undefined || isBytes ? {} : { "content-type": "application/json" };
    const sealed = await session().seal({
      headers: { appkey: appKey, ...type, ...headers },
      body: body === undefined ? undefined : isBytes ? new Uint8Array(Buffer.from(body)) : JSON.stringify(body),
    });
    const answer = await fetch(server().url + path, { method, headers: sealed.headers, body: sealed.body ?? null });
    const received = new Uint8Array(await answer.arrayBuffer());
    const { status, headers: answered } = answer;
    // HTTP 304 is the one answer without a body.
    const opened =
      received.length === 0 ? received : (await session().open({ status, headers: answered, body: received })).body;
    const bytes = Buffer.from(opened);
    const isFile = answered.get("content-disposition") !== null;
    const envelope = isFile || bytes.length === 0 ? {} : JSON.parse(bytes.toString());
    return { status, headers: answered, bytes, code: envelope.status?.internalStatus, data: envelope.data };
  };

/** A chunk of ten digits that is sent by half. Ending it sends the rest. */
export async function startChunk(
  server: RunningServer,
  session: ClientSession,
  path: string,
): Promise<{ readonly request: ClientRequest; readonly end: () => void }> {
  const { headers, body } = await session.seal({
    headers: { appkey: appKey, ...octets, "content-range": "bytes 0-9/10" },
    body: new Uint8Array(Buffer.from("0123456789")),
  });
  const bytes = Buffer.from(body as Uint8Array);
  const request = startRequest(server.url + path, {
    method: "PATCH",
    headers: { ...headers, "content-length": 10, expect: "100-continue" },
  });
  request.on("error", () => {}).flushHeaders();
  await once(request, "continue");
  request.write(bytes.subarray(0, 5));
  return { request, end: () => request.end(bytes.subarray(5)) };
}

export const boundary = "files";
export const formType = { "content-type": `multipart/form-data; boundary=${boundary}` };
export const octets = { "content-type": "application/octet-stream" };

export const part = (disposition: string, body: Buffer | string = "abc", more = "Content-Type: application/pdf\r\n") =>
  Buffer.concat([
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n${more}\r\n`),
    Buffer.from(body),
    Buffer.from("\r\n"),
  ]);
export const field = (name: string, value: string) => part(`name="${name}"`, value, "");
export const formOf = (...parts: readonly Buffer[]) => Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]);

/** A form with one file. */
export const form = (bytes: Buffer | string = "abc", { name = "file", filename = "report.pdf" } = {}) =>
  formOf(part(`name="${name}"; filename="${filename}"`, bytes));

export const md5 = (bytes: Buffer) => createHash("md5").update(bytes).digest("hex");
export const sha256 = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");
