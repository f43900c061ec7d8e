import { totalmem } from "node:os";
import type { Digest, ErrorCode } from "@sallyport/storage";
import type { CountedTraffic, Database } from "@sallyport/core";
import type { BudgetBounds, SheddingPolicy } from "./load-gauge.ts";
import type { NamedObject } from "./named-object.ts";

/** Bounds of a client that sends or receives a file. Only the time that the server waits for the client counts. */
export interface Pace {
  /** Milliseconds without progress of the client. Also the time before `minRate` applies. */
  readonly silence: number;
  /** Bytes per second, on average. */
  readonly minRate: number;
}

/** Deployment settings of the HTTP adapter. */
export interface HttpSettings {
  /** `data.applicationName` of the service check. */
  readonly applicationName: string;
  /** `data.applicationVersion` of the service check. */
  readonly applicationVersion: string;
  /** Path prefix without a trailing slash; empty for none. */
  readonly basePath: string;
  /** Address of the server for clients, with the base path and without a trailing slash; `null` if unknown. */
  readonly publicUrl: string | null;
  /** Maximum number of active requests. More are answered with 706. */
  readonly maxRequestsInFlight: number;
  /** Delay of the event loop at which requests are answered with 706; `null`: none. */
  readonly shedding: SheddingPolicy | null;
  /** Maximum number of connections, per network except for trusted proxies. More are closed. */
  readonly maxConnections: BudgetBounds;
  /** Maximum number of queued requests per connection. With more, the connection closes after its responses. */
  readonly maxPipelinedRequests: number;
  /** Maximum number of incomplete bodies. More are answered with 706. */
  readonly maxIncompleteBodies: BudgetBounds;
  /** Maximum bytes of unread responses. Further requests are answered with 706. */
  readonly maxSendBufferBytes: BudgetBounds;
  /** Maximum number of files that are uploaded or downloaded at once. More are answered with 706. */
  readonly maxTransfers: BudgetBounds;
  /** Limits of a client that uploads a file. */
  readonly uploadPace: Pace;
  /** Limits of a client that downloads a file. */
  readonly downloadPace: Pace;
  /** Milliseconds before the server closes the connection of a client that stops reading. */
  readonly sendTimeout: number;
  /** Milliseconds to wait for a body. */
  readonly bodyTimeout: number;
  /** Milliseconds after which no further item of a multi request starts. */
  readonly multiTimeout: number;
  /** Request headers that pages may send besides those of the service, in lower case. */
  readonly corsAllowedHeaders: readonly string[];
  /** Whether failures carry `debugMessage`. */
  readonly debugMessages: boolean;
  /** Whether a client can request plain traffic after a secure log-in. */
  readonly plainAfterSecureLogin: boolean;
  /** Whether credentials with PKCS#1 v1.5 padding are accepted. */
  readonly legacyPkcs1: boolean;
  /** Code for a session route without a credential header. */
  readonly missingCredential: 200 | 204;
  /** Whether credentials are accepted over plain HTTP from any address, not only from loopback. */
  readonly allowInsecureTransport: boolean;
  /** Addresses or CIDR networks whose `X-Forwarded-For` and `X-Forwarded-Proto` are trusted. */
  readonly trustedProxies: readonly string[];
}

/** Entry of a configured alias: a database, or `null` without storage settings (705). */
export type DatabaseEntry = Database | null;

/** The databases by alias. One of them can have the empty alias. */
export interface DatabaseDirectory extends ReadonlyMap<string, DatabaseEntry> {
  /** Called with each request. Resolves when the database is ready for it; `undefined` if it is ready. */
  use?(database: Database): Promise<void> | undefined;
  /** Whether no request has used the database for a while, so that its state is not worth a question. */
  isResting?(database: Database): boolean;
}

/** Maximum size in bytes of a request head. */
export const headerBytes = 16 * 1024;

/** The limits of HTTP that are the same in every deployment. Times are milliseconds. */
export interface HttpLimits
  extends Pick<
    HttpSettings,
    "shedding" | "maxPipelinedRequests" | "maxIncompleteBodies" | "maxSendBufferBytes" | "maxTransfers"
  > {
  /** From the first byte of a request to the end of its headers. Also the TLS handshake timeout. */
  readonly headersTimeout: number;
  /** Time in which a client sends nothing of an upload. */
  readonly uploadSilence: number;
}

/** Bytes of memory that the process may take: that of its container, if it has a limit, or of the machine. */
const memory = Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem());
/** Bytes of unread responses. More than 256 MiB of them are clients that do not read. */
const sendBufferBytes = Math.min(256 * 1024 * 1024, Math.floor(memory / 8));

export const httpLimits: HttpLimits = {
  // Users notice a second. The gap to the lower bound keeps the server from changing its mind with each request.
  shedding: { delay: 1_000, resume: 250 },
  // Browsers do not pipeline, and other clients gain nothing from a longer queue on one connection.
  maxPipelinedRequests: 32,
  // Bodies of usual size arrive within milliseconds, so many incomplete ones are an attack or an outage.
  maxIncompleteBodies: { perIp: 100, total: 1_000 },
  // An office behind one address has enough, and no network takes all. Each transfer is a request in flight as well.
  maxTransfers: { perIp: 300, total: 1_000 },
  maxSendBufferBytes: { perIp: sendBufferBytes / 4, total: sendBufferBytes },
  // 16 KiB arrive in this time on the slowest mobile networks.
  headersTimeout: 10_000,
  // Clients resume an upload that was cut. So a longer silence only holds a place.
  uploadSilence: 30_000,
};

/** Result of one item of a multi request. Contains nothing that only encrypted messages contain. */
export interface ItemRecord extends NamedObject {
  /** The route pattern, not the request path; `null` if none matched. */
  readonly route: string | null;
  /** Method of the route; `null` if the route does not support the method. */
  readonly method: string | null;
  readonly status: number;
  readonly code: ErrorCode | 0;
  /** Whether an item of a multi request only reads. */
  readonly isRead?: boolean;
  /** The failure, also the one behind an error redirect. */
  readonly error?: unknown;
}

/** The caller of a request that was admitted. */
export interface CallerRecord {
  /** The public id of the session, as in the list of sessions. */
  readonly session?: string | undefined;
  /** Object id of the user whose rights apply. */
  readonly userId?: string | undefined;
  /** The custom user behind it. */
  readonly customUserId?: string | undefined;
  readonly appKeyId?: string | undefined;
}

/** One answered request, for log and metrics. Contains no header, body or query string. */
export interface RequestRecord extends ItemRecord, CallerRecord {
  readonly requestId: string;
  readonly method: string;
  /** Alias of the database; `null` if the path matches none. */
  readonly alias: string | null;
  /** Milliseconds from arrival to the end of writing. */
  readonly duration: number;
  readonly address: string;
  /** Items of a multi request, in order. Rolled-back items have the code of the failed item but no error. */
  readonly items?: readonly ItemRecord[] | undefined;
}

/** Port: receives every answered request. Must not throw. */
export interface RequestObserver {
  answered(record: RequestRecord): void;
}

/** Port: receives the bytes of each request of a live session, after its response. Must neither throw nor wait. */
export interface TrafficRecorder {
  transferred(database: Database, session: Digest, traffic: CountedTraffic): void;
}
