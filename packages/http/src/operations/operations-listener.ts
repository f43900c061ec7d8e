import type { IncomingMessage, ServerResponse } from "node:http";
import type { Operations } from "./operations.ts";

const headers = { "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" };

/**
 * Answers health, readiness and metrics, which stand outside of the envelope. `false` when the request is for
 * something else.
 */
export async function answerOperations(
  request: IncomingMessage,
  response: ServerResponse,
  operations: Operations,
): Promise<boolean> {
  const path = (request.url ?? "").split("?", 1)[0];
  if (request.method !== "GET") return false;
  if (path === "/healthz") {
    write(response, 200, "text/plain; charset=utf-8", "ok\n");
    return true;
  }
  if (path === "/readyz") {
    const readiness = await operations.readiness();
    write(response, readiness.ready ? 200 : 503, "application/json; charset=utf-8", JSON.stringify(readiness));
    return true;
  }
  if (path === "/metrics" && mayReadMetrics(request, operations)) {
    const { contentType, text } = await operations.metrics();
    write(response, 200, contentType, text);
    return true;
  }
  return false;
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
