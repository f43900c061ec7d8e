import type { IncomingMessage, ServerResponse } from "node:http";
import { isLoopback, type OriginResolver } from "./client-origin.ts";

/** Whether the server can do its work, per database. */
export interface Readiness {
  readonly ready: boolean;
  /** By alias; the empty alias stands as `(empty)`. `ok`, or the name of the failure. */
  readonly databases: Readonly<Record<string, string>>;
}

/** Port: what those who run the server ask it. */
export interface Operations {
  readiness(): Promise<Readiness>;
  /** The metrics as text, with the content type of their format. */
  metrics(): Promise<{ readonly contentType: string; readonly text: string }>;
  /** Who may read the metrics. */
  readonly metricsAccess: "loopback" | "any" | "off";
}

const headers = { "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" };

type Answer = (
  request: IncomingMessage,
  response: ServerResponse,
  operations: Operations,
  origins: OriginResolver,
) => void | Promise<void>;

const answers: ReadonlyMap<string, Answer> = new Map<string, Answer>([
  ["/healthz", (_request, response) => write(response, 200, "text/plain; charset=utf-8", "ok\n")],
  [
    "/readyz",
    async (request, response, operations, origins) => {
      const readiness = await operations.readiness();
      // The aliases are nobody's business but of those who run the server.
      const told = mayReadMetrics(request, operations, origins) ? readiness : { ready: readiness.ready };
      write(response, readiness.ready ? 200 : 503, "application/json; charset=utf-8", JSON.stringify(told));
    },
  ],
  [
    "/metrics",
    async (_request, response, operations) => {
      const { contentType, text } = await operations.metrics();
      write(response, 200, contentType, text);
    },
  ],
]);

/** Health, readiness and metrics stand outside of the envelope; `undefined` when the request is for something else. */
export function operationsAnswer(
  request: IncomingMessage,
  operations: Operations,
  origins: OriginResolver,
): Answer | undefined {
  if (request.method !== "GET") return undefined;
  const path = (request.url ?? "").split("?", 1)[0] as string;
  return path === "/metrics" && !mayReadMetrics(request, operations, origins) ? undefined : answers.get(path);
}

/** Headers with which proxies say that they pass something on. */
const passedOn = ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip"];

/**
 * A request through a proxy on this machine comes from loopback. Behind a configured proxy the forwarded address decides; from any other
 * peer, proxy headers deny access.
 */
function mayReadMetrics(request: IncomingMessage, { metricsAccess }: Operations, origins: OriginResolver): boolean {
  if (metricsAccess !== "loopback") return metricsAccess === "any";
  if (!isLoopback(origins.resolve(request).address)) return false;
  return (
    origins.clientNetwork(request.socket) === null || passedOn.every((name) => request.headers[name] === undefined)
  );
}

function write(response: ServerResponse, status: number, contentType: string, text: string): void {
  response.writeHead(status, { ...headers, "Content-Type": contentType, "Content-Length": Buffer.byteLength(text) });
  response.end(text);
}
