import type { Storage } from "@sallyport/core";
import type { PoolConfiguration } from "../../configuration/index.ts";
import type { PoolState } from "../../operations/metrics.ts";

/** Milliseconds in which a new connection must stand. */
export const connectTimeout = 3_000;

/** The limits of a pool, as the adapters call them. */
export function poolLimits({ max, acquireTimeout, maxWaiting }: PoolConfiguration) {
  return { max, acquireTimeout, maxPendingAcquires: maxWaiting };
}

/** Something that serves several storages, one per schema. */
export interface SqlEngine {
  /** Where it is, without secrets. */
  readonly name: string;
  /** `null` when there is nothing worth measuring. */
  readonly pool: (() => PoolState) | null;
  storage(schema: string): Storage;
  close(): Promise<void>;
}

/** Where a connection string leads, for messages. Nothing of it is secret. */
export interface ServerPlace {
  /** Host, or the directory of a socket. */
  readonly host: string;
  readonly port: string;
  /** Host and port. */
  readonly at: string;
  /** Empty when the connection string leaves it to the environment. */
  readonly role: string;
  readonly database: string;
}

/** Why a server does not serve a database. */
export interface DiagnosticsContext extends ServerPlace {
  readonly schema: string;
  /** What the driver or the server said. */
  readonly said: string;
}

type Words = (trouble: DiagnosticsContext) => string;

/** The same words for several codes. */
export function wordsFor<Code, Tell>(codes: readonly Code[], words: Tell): (readonly [Code, Tell])[] {
  return codes.map((code) => [code, words]);
}

/** Words for what keeps a connection to any server from standing; `byCode` has them by the codes of Node. */
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

/** Reads a connection string as the driver does; `null` if it is in a form that only the driver understands. */
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
