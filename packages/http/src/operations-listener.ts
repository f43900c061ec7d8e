import type { IncomingMessage, ServerResponse } from "node:http";
import { isLoopback, type OriginResolver } from "./client-origin.ts";

/** Readiness of the server, per database. */
export interface Readiness {
  readonly ready: boolean;
  /** By alias; `(empty)` stands for the empty alias. `ok`, or the name of the failure. */
  readonly databases: Readonly<Record<string, string>>;
}

/** Port: health and metrics for operators. */
export interface Operations {
  readiness(): Promise<Readiness>;
  /** Metrics as text, with the content type of their format. */
  metrics(): Promise<{ readonly contentType: string; readonly text: string }>;
  /** Clients that can read the metrics. */
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
      // Only operators may see the aliases.
      const body = mayReadMetrics(request, operations, origins) ? readiness : { ready: readiness.ready };
      write(response, readiness.ready ? 200 : 503, "application/json; charset=utf-8", JSON.stringify(body));
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

/** Handler of a health, readiness or metrics request, which has no envelope. `undefined` for any other request. */
export function operationsAnswer(
  request: IncomingMessage,
  operations: Operations,
  origins: OriginResolver,
): Answer | undefined {
  if (request.method !== "GET") return undefined;
  const path = (request.url ?? "").split("?", 1)[0] as string;
  return path === "/metrics" && !mayReadMetrics(request, operations, origins) ? undefined : answers.get(path);
}

/** Headers that indicate a forwarding proxy. */
const passedOn = ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip"];

/**
 * A request through a local proxy comes from loopback. Behind a trusted proxy the forwarded address decides. From any
 * other peer, proxy headers deny access.
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
