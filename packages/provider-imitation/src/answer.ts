import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import type { Call } from "./imitation.ts";
import type { Endpoint } from "./misbehaviour.ts";

/** Stands in the texts of refusals; no application repeats it to anybody. */
export const marker = "words-of-the-provider";

/** The parameter of whoever came by a redirect. */
export const followed = "followed";

const json = { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" };
const chunk = Buffer.alloc(65_536, " ");
const hugeBytes = 52_428_800;

export const refuse = ({ response }: Call, status: number, error: string): void =>
  send(response, status, { error, error_description: `${marker}: ${error}` });

/** Answers as the endpoint should, or as it was told to. */
export function answer(
  { imitation, request, response, query }: Call,
  endpoint: Endpoint,
  body: Readonly<Record<string, unknown>>,
): void {
  const text = JSON.stringify(body);
  switch (imitation.misbehaviour.answers?.[endpoint]) {
    case undefined:
      return send(response, 200, body);
    case "serverError":
      return send(response, 500, { error: "server_error", error_description: marker });
    case "overloaded":
      return send(response, 429, { error: marker });
    case "hangs":
      return;
    case "hangsAfterHead":
      response.writeHead(200, json).flushHeaders();
      return;
    case "trickles":
      return trickle(response, text);
    case "huge":
      return flood(response, text, hugeBytes);
    case "endless":
      return flood(response, text, Number.POSITIVE_INFINITY);
    case "redirectsInside":
      response.writeHead(302, { location: "http://169.254.169.254/latest/meta-data/" }).end();
      return;
    case "redirectsToItself":
      response.writeHead(307, { location: request.url }).end();
      return;
    case "redirectsToAnswer":
      if (query.has(followed)) return send(response, 200, body);
      response.writeHead(307, { location: `${request.url}${query.size === 0 ? "?" : "&"}${followed}=1` }).end();
      return;
    case "otherType":
      response.writeHead(200, { "content-type": "text/html" }).end(text);
      return;
    case "notJson":
      response.writeHead(200, json).end(`${marker} ${text}`);
      return;
    case "list":
      response.writeHead(200, json).end(`[${text}]`);
      return;
    case "memberTwice":
      response.writeHead(200, json).end(text.replace("{", `{"${Object.keys(body)[0]}":"${marker}",`));
      return;
    case "compressed":
      response.writeHead(200, { ...json, "content-encoding": "gzip" }).end(gzipSync(text));
      return;
    case "malformed":
      request.socket.end(`HTTP/9 ${marker}\r\n\r\n`);
      return;
    case "closes":
      request.socket.destroy();
      return;
    case "empty":
      response.writeHead(200, json).end();
      return;
    case "refusesClient":
      return send(response, 401, { error: "invalid_client", error_description: marker });
  }
}

export function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, json).end(JSON.stringify(body));
}

export function sendPage(response: ServerResponse, status: number, html: string): void {
  response.writeHead(status, { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" }).end(html);
}

/** A byte now and then, so that no pause is long. */
function trickle(response: ServerResponse, text: string): void {
  response.writeHead(200, json);
  let at = 0;
  const timer = setInterval(() => {
    response.write(text[at] ?? " ");
    at += 1;
  }, 20);
  response.on("close", () => clearInterval(timer));
}

/** The answer, and then blanks: who reads to the end finds nothing wrong with it. */
function flood(response: ServerResponse, text: string, bytes: number): void {
  response.writeHead(200, Number.isFinite(bytes) ? { ...json, "content-length": bytes } : json);
  response.write(text);
  let left = bytes - Buffer.byteLength(text);
  const more = () => {
    while (left > 0 && !response.destroyed) {
      const part = left < chunk.length ? chunk.subarray(0, left) : chunk;
      left -= part.length;
      if (!response.write(part)) {
        response.once("drain", more);
        return;
      }
    }
    response.end();
  };
  more();
}
