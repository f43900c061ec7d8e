import http, { type IncomingHttpHeaders } from "node:http";
import { appKey } from "../cases/run-cases.ts";

/** By name; a list is sent as several headers, `null` omits one. */
export type SentHeaders = Readonly<Record<string, string | readonly string[] | null>>;

export interface Sent {
  readonly method?: string;
  /** In addition to the demo's app key. */
  readonly headers?: SentHeaders;
  readonly body?: string | Uint8Array | undefined;
  /** Sends the body in chunks, even an empty one. */
  readonly chunked?: boolean;
}

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** `internalStatus`; `null` if the answer is not an envelope. */
  readonly code: string | null;
}

/** Sends requests that `fetch` refuses: any method with a body, and repeated headers. */
export function send(url: string, { method = "GET", headers = {}, body, chunked = false }: Sent = {}): Promise<Reply> {
  const wanted: SentHeaders = { appkey: appKey, ...headers };
  const lines = Object.entries(wanted).flatMap(([name, value]) =>
    value === null ? [] : [[name, typeof value === "string" ? value : [...value]] as const],
  );
  const framing = chunked
    ? { "transfer-encoding": "chunked" }
    : body === undefined
      ? {}
      : { "content-length": Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const request = http.request(url, { method, headers: { ...Object.fromEntries(lines), ...framing } }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (part: string) => (text += part));
      answer.on("end", () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text, code: codeOf(text) }),
      );
    });
    request.on("error", reject).end(body);
  });
}

/** Sends JSON. */
export function post(url: string, body: unknown, headers: SentHeaders = {}): Promise<Reply> {
  return send(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
}

function codeOf(text: string): string | null {
  if (!text.startsWith("{")) return null;
  return (JSON.parse(text) as { status: { internalStatus: string } }).status.internalStatus;
}
