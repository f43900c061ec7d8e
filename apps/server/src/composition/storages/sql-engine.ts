import type { Storage } from "@sallyport/core";
import type { PoolConfiguration } from "../../configuration/index.ts";
import type { PoolState } from "../../operations/metrics.ts";

/** Milliseconds to establish a connection. */
export const connectTimeout = 3_000;

/** Pool limits under the names of the adapters. */
export function poolLimits({ max, acquireTimeout, maxWaiting }: PoolConfiguration) {
  return { max, acquireTimeout, maxPendingAcquires: maxWaiting };
}

/** An engine with one storage per schema. */
export interface SqlEngine {
  /** Location without secrets. */
  readonly name: string;
  /** `null` if the engine has no pool. */
  readonly pool: (() => PoolState) | null;
  storage(schema: string): Storage;
  close(): Promise<void>;
}

/** Target of a connection string, for messages. Contains no secrets. */
export interface ServerPlace {
  /** Host, or the directory of a socket. */
  readonly host: string;
  readonly port: string;
  /** Host and port. */
  readonly at: string;
  /** Empty if the environment determines it. */
  readonly role: string;
  readonly database: string;
}

/** Context of a database error. */
export interface DiagnosticsContext extends ServerPlace {
  readonly schema: string;
  /** Message of the driver or the server. */
  readonly said: string;
}

type Words = (trouble: DiagnosticsContext) => string;

/** Maps several codes to the same text. */
export function wordsFor<Code, Tell>(codes: readonly Code[], words: Tell): (readonly [Code, Tell])[] {
  return codes.map((code) => [code, words]);
}

/** Texts for connection errors of any server. `byCode` maps Node's error codes. */
export function connectionDiagnostics(product: string) {
  const silent: Words = ({ at, said }) => `No ${product} answers at ${at} (${said}).`;
  const nameless: Words = ({ host, said }) => `The host ${host} cannot be found (${said}).`;
  const untrusted: Words = ({ at, said }) => `The certificate of the ${product} at ${at} is not accepted (${said}).`;
  const full: Words = ({ at, said }) => `The ${product} at ${at} takes no more connections (${said}).`;
  const withoutTls: Words = ({ at }) =>
    `The ${product} at ${at} offers no TLS, which the connection string asks for (sslmode).`;
  const byCode = [
    ...wordsFor(["ENOTFOUND", "EAI_AGAIN"], nameless),
    ...wordsFor(["ECONNREFUSED", "ECONNRESET", "EHOSTUNREACH", "ENETUNREACH", "ENOENT", "ETIMEDOUT"], silent),
    ...wordsFor(["CERT_HAS_EXPIRED", "DEPTH_ZERO_SELF_SIGNED_CERT", "ERR_TLS_CERT_ALTNAME_INVALID"], untrusted),
    ...wordsFor(["SELF_SIGNED_CERT_IN_CHAIN", "UNABLE_TO_GET_ISSUER_CERT_LOCALLY"], untrusted),
    ...wordsFor(["UNABLE_TO_VERIFY_LEAF_SIGNATURE"], untrusted),
  ];
  return { silent, untrusted, full, withoutTls, byCode };
}

/** Parses a connection string as the driver does; `null` if it is no URL. */
export function serverPlace(url: string, usualPort: string): ServerPlace | null {
  if (!URL.canParse(url)) return null;
  const { hostname, port: givenPort, username, pathname, searchParams } = new URL(url);
  const role = searchParams.get("user") ?? decoded(username);
  const host =
    (searchParams.get("host") ?? searchParams.get("socket") ?? decoded(hostname.replace(/^\[(.*)\]$/, "$1"))) ||
    "localhost";
  const port = searchParams.get("port") ?? (givenPort || usualPort);
  const at = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  return { host, port, at, role, database: decoded(pathname.slice(1)) || role };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
