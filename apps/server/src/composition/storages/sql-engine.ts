import type { Storage, StorageRecovery } from "@sallyport/storage";
import type { MoveNotice, OpenWriter, PostgresReplicas, ServerFacts, TimelineEvent } from "@sallyport/storage-knex";
import { hostText, parseAddress } from "@sallyport/storage-knex/server-address";
import type { EmbeddedStorage, PoolConfiguration, ServerStorage } from "../../configuration/index.ts";
import type { PoolState } from "../../monitoring/metrics.ts";

/** Milliseconds to establish a connection. */
export const connectTimeout = 3_000;

/** Pool limits under the names of the adapters. */
export function poolLimits({ max, acquireTimeout, maxWaiting }: PoolConfiguration) {
  return { max, acquireTimeout, maxPendingAcquires: maxWaiting };
}

/** Listeners to what happens to a database while its storage is open. */
export interface StorageEvents {
  /** Receives what the log should tell about timelines of the server. */
  readonly onTimeline?: (event: TimelineEvent) => void;
  /** Called while calls fail because the database was moved to another server. */
  readonly onMove?: (notice: MoveNotice) => void;
}

/** An engine with one storage per schema. */
export interface SqlEngine {
  /** Location without secrets. */
  readonly name: string;
  /** `null` if the engine has no pool. */
  readonly pool: (() => PoolState) | null;
  /** Reads what an operator needs to know about the server; `null` if there is no server. */
  readonly facts: ((schema: string) => Promise<ServerFacts>) | null;
  /** Reads which open transactions keep changes from devices; `null` if the engine has no such transactions. */
  readonly openWriters: ((schema: string) => Promise<readonly OpenWriter[]>) | null;
  /** `null` without replicas. */
  readonly replicas: Pick<PostgresReplicas, "reads" | "states"> | null;
  /** Recovers a schema after lost transactions or a restore; `null` if the engine has no recovery. */
  readonly recovery: ((schema: string) => StorageRecovery) | null;
  storage(configuration: ServerStorage | EmbeddedStorage, events: StorageEvents): Storage;
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
  readonly message: string;
}

type Diagnostic = (context: DiagnosticsContext) => string;

/** Maps several codes to the same text. */
export function diagnosticFor<Code, Text>(codes: readonly Code[], diagnostic: Text): (readonly [Code, Text])[] {
  return codes.map((code) => [code, diagnostic]);
}

/** Texts for connection errors of any server. `byCode` maps Node's error codes. */
export function connectionDiagnostics(product: string) {
  const silent: Diagnostic = ({ at, message }) => `No ${product} server responds at ${at} (${message}).`;
  const nameless: Diagnostic = ({ host, message }) => `The host ${host} cannot be resolved (${message}).`;
  const untrusted: Diagnostic = ({ at, message }) =>
    `The certificate of the ${product} server at ${at} is not valid (${message}).`;
  const full: Diagnostic = ({ at, message }) =>
    `The ${product} server at ${at} accepts no more connections (${message}).`;
  const withoutTls: Diagnostic = ({ at }) =>
    `The ${product} server at ${at} does not support TLS, which the connection string requires (sslmode).`;
  const byCode = [
    ...diagnosticFor(["ENOTFOUND", "EAI_AGAIN"], nameless),
    ...diagnosticFor(["ECONNREFUSED", "ECONNRESET", "EHOSTUNREACH", "ENETUNREACH", "ENOENT", "ETIMEDOUT"], silent),
    ...diagnosticFor(["CERT_HAS_EXPIRED", "DEPTH_ZERO_SELF_SIGNED_CERT", "ERR_TLS_CERT_ALTNAME_INVALID"], untrusted),
    ...diagnosticFor(["SELF_SIGNED_CERT_IN_CHAIN", "UNABLE_TO_GET_ISSUER_CERT_LOCALLY"], untrusted),
    ...diagnosticFor(["UNABLE_TO_VERIFY_LEAF_SIGNATURE"], untrusted),
  ];
  return { silent, untrusted, full, withoutTls, byCode };
}

/** Where a connection string leads. `host` and `port` are those of the first host. */
export function serverPlace(url: string): ServerPlace {
  const { hosts, user: role, database } = parseAddress(url);
  const [{ host, port }] = hosts;
  return { host, port: `${port}`, at: hosts.map(hostText).join(", "), role, database: database || role };
}
