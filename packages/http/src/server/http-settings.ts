import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { headerNames } from "@sallyport/contract";
import type { Database, ErrorCode } from "@sallyport/core";
import type { BudgetBounds } from "../load-gauge.ts";

/** What the HTTP adapter needs to know of the deployment. */
export interface HttpSettings {
  /** `data.applicationName` of the service check. */
  readonly applicationName: string;
  /** `data.applicationVersion` of the service check. */
  readonly applicationVersion: string;
  /** Prefix of every address, without a trailing slash; empty for none. */
  readonly basePath: string;
  /** Requests in work at once; more are answered 706. */
  readonly maxRequestsInFlight: number;
  /** Maximum connections of one network, trusted proxies excepted. */
  readonly maxConnectionsPerIp: number;
  /** Requests that may wait on a connection for the one before; with more it is closed after its answers. */
  readonly maxPipelinedRequests: number;
  /** Requests whose body is still to come; more are answered 706. */
  readonly maxIncompleteBodies: BudgetBounds;
  /** Maximum bytes of unread answers; further requests are answered 706. */
  readonly maxSendBufferBytes: BudgetBounds;
  /** Milliseconds after which the server cuts a client that stops reading an answer. */
  readonly sendTimeout: number;
  /** Milliseconds for which a JSON body is awaited. */
  readonly bodyTimeout: number;
  /** Milliseconds after which no further item of a multi request starts. */
  readonly multiTimeout: number;
  /** Whether failures carry `debugMessage`. */
  readonly debugMessages: boolean;
  /** Whether a client may ask for plain traffic after a secure log-in. */
  readonly plainAfterSecureLogin: boolean;
  /** Whether credentials in PKCS#1 v1.5 padding are taken. */
  readonly legacyPkcs1: boolean;
  /** The code for a request that needs a session and has no credential header. */
  readonly missingCredential: 200 | 204;
  /** Whether credentials may come over plain HTTP from anywhere, not only from loopback. */
  readonly allowInsecureTransport: boolean;
  /** Addresses or networks (CIDR) whose `X-Forwarded-For` and `X-Forwarded-Proto` count. */
  readonly trustedProxies: readonly string[];
}

/** A configured alias: a database, or `null` while it has no storage settings (705). */
export type DatabaseEntry = Database | null;

/** The databases by alias; one of them may have the empty alias. */
export type DatabaseDirectory = ReadonlyMap<string, DatabaseEntry>;

/** Bytes that the head of a request may have. */
export const headerBytes = 16 * 1024;

/** What became of one item of a multi request. */
export interface ItemRecord {
  /** The route's pattern, not the path of the client; `null` when none matched. */
  readonly route: string | null;
  /** As the route has it; `null` when it takes no such method. */
  readonly method: string | null;
  readonly status: number;
  readonly code: ErrorCode | 0;
  /** What has failed, if the answer is a failure, or a redirect that tells of one. */
  readonly error?: unknown;
}

/** One answered request, for log and metrics. Holds no header, no body and no query string. */
export interface RequestRecord extends ItemRecord {
  readonly requestId: string;
  readonly method: string;
  /** Alias of the database; `null` when the path named none. */
  readonly alias: string | null;
  /** Milliseconds from the request's arrival to the end of the answer's writing. */
  readonly duration: number;
  readonly address: string;
  /** Of a multi request, in order. Those that were undone because another one failed have its code, and no error of their own. */
  readonly items?: readonly ItemRecord[];
}

/** Port: told of every answer. Must not throw. */
export interface RequestObserver {
  answered(record: RequestRecord): void;
}

const acceptable = /^[A-Za-z0-9._-]{1,64}$/;

/** The id that the client or a proxy gave the request, if it is fit for a log line; else a new one. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers[headerNames.requestId];
  return typeof given === "string" && acceptable.test(given) ? given : randomUUID();
}
