import type { IncomingMessage, ServerResponse } from "node:http";
import type { Operations } from "./operations.ts";

const headers = { "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" };

type Answer = (request: IncomingMessage, response: ServerResponse, operations: Operations) => void | Promise<void>;

const answers: ReadonlyMap<string, Answer> = new Map<string, Answer>([
  ["/healthz", (_request, response) => write(response, 200, "text/plain; charset=utf-8", "ok\n")],
  [
    "/readyz",
    async (request, response, operations) => {
      const readiness = await operations.readiness();
      // The aliases are nobody's business but of those who run the server.
      const told = mayReadMetrics(request, operations) ? readiness : { ready: readiness.ready };
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
export function operationsAnswer(request: IncomingMessage, operations: Operations): Answer | undefined {
  if (request.method !== "GET") return undefined;
  const path = (request.url ?? "").split("?", 1)[0] as string;
  return path === "/metrics" && !mayReadMetrics(request, operations) ? undefined : answers.get(path);
}

/** A request that a proxy on this machine passes on comes from loopback, too, but says for whom. */
function mayReadMetrics({ socket, headers: sent }: IncomingMessage, { metricsAccess }: Operations): boolean {
  if (metricsAccess !== "loopback") return metricsAccess === "any";
  const peer = socket.remoteAddress ?? "";
  const local = peer === "::1" || peer.startsWith("127.") || peer.startsWith("::ffff:127.");
  return local && sent["x-forwarded-for"] === undefined && sent["forwarded"] === undefined;
}

function write(response: ServerResponse, status: number, contentType: string, text: string): void {
  response.writeHead(status, { ...headers, "Content-Type": contentType, "Content-Length": Buffer.byteLength(text) });
  response.end(text);
}
