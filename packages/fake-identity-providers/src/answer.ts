import type { IncomingMessage, ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";

/** Part of every error text. Applications must not repeat it. */
export const marker = "words-of-the-provider";

/** Query parameter that marks a followed redirect. */
export const followed = "followed";

/** A request and its response. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly query: URLSearchParams;
}

const json = { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" };
const chunk = Buffer.alloc(65_536, " ");
const hugeBytes = 52_428_800;

export const refuse = ({ response }: Pick<Exchange, "response">, status: number, error: string): void =>
  send(response, status, { error, error_description: `${marker}: ${error}` });

/** Faulty responses of an endpoint. `text` is the correct response. */
export const wrongAnswers = {
  serverError: ({ response }) => send(response, 500, { error: "server_error", error_description: marker }),
  overloaded: ({ response }) => send(response, 429, { error: marker }),
  hangs: () => {},
  hangsAfterHead: ({ response }) => response.writeHead(200, json).flushHeaders(),
  trickles: ({ response }, text) => trickle(response, text),
  huge: ({ response }, text) => flood(response, text, hugeBytes),
  endless: ({ response }, text) => flood(response, text, Number.POSITIVE_INFINITY),
  redirectsInside: ({ response }) => redirect(response, 302, "http://169.254.169.254/latest/meta-data/"),
  redirectsToItself: ({ request, response }) => redirect(response, 307, request.url),
  redirectsToAnswer: ({ request, response, query }, text) => {
    if (query.has(followed)) response.writeHead(200, json).end(text);
    else redirect(response, 307, `${request.url}${query.size === 0 ? "?" : "&"}${followed}=1`);
  },
  otherType: ({ response }, text) => response.writeHead(200, { "content-type": "text/html" }).end(text),
  notJson: ({ response }, text) => response.writeHead(200, json).end(`${marker} ${text}`),
  list: ({ response }, text) => response.writeHead(200, json).end(`[${text}]`),
  memberTwice: ({ response }, text) => {
    const [name] = Object.keys(JSON.parse(text) as object);
    response.writeHead(200, json).end(text.replace("{", `{"${name}":"${marker}",`));
  },
  compressed: ({ response }, text) =>
    response.writeHead(200, { ...json, "content-encoding": "gzip" }).end(gzipSync(text)),
  malformed: ({ request }) => request.socket.end(`HTTP/9 ${marker}\r\n\r\n`),
  closes: ({ request }) => request.socket.destroy(),
  empty: ({ response }) => response.writeHead(200, json).end(),
  refusesClient: ({ response }) => send(response, 401, { error: "invalid_client", error_description: marker }),
} as const satisfies Readonly<Record<string, (exchange: Exchange, text: string) => unknown>>;

export type AnswerFault = keyof typeof wrongAnswers;

export const answerFaults = Object.keys(wrongAnswers) as readonly AnswerFault[];

function redirect(response: ServerResponse, status: number, location: string | undefined): void {
  response.writeHead(status, { location }).end();
}

export function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, json).end(JSON.stringify(body));
}

export function sendPage(response: ServerResponse, status: number, html: string): void {
  response.writeHead(status, { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" }).end(html);
}

/** One byte every 20 ms, so that no idle timeout applies. */
function trickle(response: ServerResponse, text: string): void {
  response.writeHead(200, json);
  let at = 0;
  const timer = setInterval(() => {
    response.write(text[at] ?? " ");
    at += 1;
  }, 20);
  response.on("close", () => clearInterval(timer));
}

/** The response, then spaces: valid for a client that reads it all. */
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
