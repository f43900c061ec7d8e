import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { headerNames } from "@sallyport/contract";
import type { ErrorCode } from "@sallyport/core";

/** What became of one item of a multi request. */
export interface ItemRecord {
  /** The route's pattern; `null` when none matched. */
  readonly route: string | null;
  /** As the route has it; `null` when it takes no such method. */
  readonly method: string | null;
  readonly status: number;
  readonly code: ErrorCode | 0;
  /** What was thrown, if it failed. */
  readonly error?: unknown;
}

/** One answered request, for log and metrics. Holds no header, no body and no query string. */
export interface RequestRecord {
  readonly requestId: string;
  readonly method: string;
  /** Alias of the database; `null` when the path named none. */
  readonly alias: string | null;
  /** The route's pattern, not the path of the client; `null` when none matched. */
  readonly route: string | null;
  readonly status: number;
  readonly code: ErrorCode | 0;
  /** Milliseconds from the request's arrival to the end of the answer's writing. */
  readonly duration: number;
  readonly address: string;
  /** Of a multi request, in order. Those that were undone because another one failed have its code, and no error of their own. */
  readonly items?: readonly ItemRecord[];
  /** What has failed, if the answer is a failure, or a redirect that tells of one. */
  readonly error?: unknown;
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
