import type { IncomingMessage, ServerResponse } from "node:http";
import { isLoopback, type OriginResolver } from "./client-origin.ts";

/** Readiness of the server, per database. */
export interface Readiness {
  readonly ready: boolean;
  /** By alias; `(empty)` stands for the empty alias. `ok`, or the name of the failure. */
  readonly databases: Readonly<Record<string, string>>;
}

/** Port: health and metrics for operators. */
export interface Monitoring {
  readiness(): Promise<Readiness>;
  /** Metrics as text, with the content type of their format. */
  metrics(): Promise<{ readonly contentType: string; readonly text: string }>;
  /** Clients that can read the metrics. */
  readonly metricsAccess: "loopback" | "any" | "off";
}

/** A response without an envelope. */
interface Reply {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

/** How to answer a health, readiness or metrics request. */
export interface MonitoringAnswer {
  readonly reply: () => Promise<Reply>;
  /** Whether pages of listed origins can read the response. */
  readonly forPages: boolean;
}

/** The paths of health, readiness and metrics. */
export const monitoringPaths: ReadonlySet<string> = new Set(["/healthz", "/readyz", "/metrics"]);

/** The answer to a health, readiness or metrics request. `undefined` for any other request. */
export function monitoringAnswer(
  request: IncomingMessage,
  monitoring: Monitoring,
  origins: OriginResolver,
): MonitoringAnswer | undefined {
  if (request.method !== "GET" && request.method !== "HEAD") return undefined;
  switch ((request.url ?? "").split("?", 1)[0]) {
    case "/healthz":
      return { reply: async () => health, forPages: true };
    case "/readyz":
      // Only operators may see the aliases.
      return { reply: () => readinessReply(monitoring, mayReadMetrics(request, monitoring, origins)), forPages: true };
    case "/metrics":
      return mayReadMetrics(request, monitoring, origins)
        ? { reply: async () => ({ status: 200, ...(await monitoring.metrics()) }), forPages: false }
        : undefined;
    default:
      return undefined;
  }
}

const health: Reply = { status: 200, contentType: "text/plain; charset=utf-8", text: "ok\n" };

async function readinessReply(monitoring: Monitoring, withDatabases: boolean): Promise<Reply> {
  const readiness = await monitoring.readiness();
  return {
    status: readiness.ready ? 200 : 503,
    contentType: "application/json; charset=utf-8",
    text: JSON.stringify(withDatabases ? readiness : { ready: readiness.ready }),
  };
}

/** Headers that indicate a forwarding proxy. */
const passedOn = ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip"];

/**
 * A request through a local proxy comes from loopback. Behind a trusted proxy the forwarded address decides. From any
 * other peer, proxy headers deny access.
 */
function mayReadMetrics(request: IncomingMessage, { metricsAccess }: Monitoring, origins: OriginResolver): boolean {
  if (metricsAccess !== "loopback") return metricsAccess === "any";
  if (!isLoopback(origins.resolve(request).address)) return false;
  return (
    origins.clientNetwork(request.socket) === null || passedOn.every((name) => request.headers[name] === undefined)
  );
}

const fixedHeaders = { "Cache-Control": "no-store", Vary: "Origin", "X-Content-Type-Options": "nosniff" };

/** Writes the response. Node leaves out the body of a `HEAD` request. */
export function writeMonitoring(
  response: ServerResponse,
  { status, contentType, text }: Reply,
  headers: Readonly<Record<string, string>>,
): void {
  const length = { "Content-Type": contentType, "Content-Length": Buffer.byteLength(text) };
  response.writeHead(status, { ...fixedHeaders, ...headers, ...length });
  response.end(text);
}
