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
  /** Clients that can read the metrics. Only those on this machine see the states of databases; with `off`, none do. */
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
      return { reply: () => readinessReply(monitoring, isOperator(request, monitoring, origins)), forPages: true };
    case "/metrics":
      return monitoring.metricsAccess === "any" || isOperator(request, monitoring, origins)
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
const forwardingHeaders = ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip"];

/**
 * A local proxy also connects from loopback, so loopback alone proves nothing. If the peer is a trusted proxy, the
 * forwarded address decides. Any other peer that sends proxy headers is refused. `off` is for proxies that send none: then
 * no peer is known to be on this machine.
 */
function isOperator(request: IncomingMessage, { metricsAccess }: Monitoring, origins: OriginResolver): boolean {
  if (metricsAccess === "off") return false;
  if (!isLoopback(origins.resolve(request).address)) return false;
  const isTrustedProxy = origins.clientNetwork(request.socket) === null;
  return isTrustedProxy || forwardingHeaders.every((name) => request.headers[name] === undefined);
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
