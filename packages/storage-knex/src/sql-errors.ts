import { type ErrorCode, OutdatedModelError, ServiceError } from "@sallyport/core";

/** No connection became free in time, or too many callers wait for one already. */
export class PoolExhausted extends Error {
  override readonly name = "PoolExhausted";
}

/** What functions and procedures of ours refuse, by SQLSTATE. */
export const refusals: ReadonlyMap<unknown, ErrorCode> = new Map([
  ["SP302", 302],
  ["SP304", 304],
  ["SP307", 307],
  ["SP315", 315],
  ["SP610", 610],
  ["SP713", 713],
  ["SPLCK", 713],
  ["SPUID", 307],
]);

/** The code of every error that is listed under one. */
export function codesOf(
  meanings: readonly (readonly [ErrorCode, readonly unknown[]])[],
): ReadonlyMap<unknown, ErrorCode> {
  return new Map(meanings.flatMap(([code, errors]) => errors.map((error) => [error, code] as const)));
}

/** Errors of the operating system that mean, with every driver, that the server cannot be reached. */
export const unreachable: readonly string[] = [
  "ECONNREFUSED",
  "ECONNRESET",
  "ECONNABORTED",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
];

/** What it means to break the uniqueness of names of accounts. */
export const nameTaken = "The user name is taken or looks like another.";

/** What some of them are about, for the log. */
const details: ReadonlyMap<unknown, string> = new Map([
  ["SP307", "A link leads to an object that is not there."],
  ["SP713", "The object has another version."],
  ["SPLCK", "The object is locked by another session."],
  ["SPUID", "A UUID is in use."],
]);

/** The model that a write was prepared under is no longer current. */
const outdatedModel = "SPMOD";

interface Failure {
  readonly state: unknown;
  /** Unexpected, if undefined. */
  readonly code: ErrorCode | undefined;
  /** What the constraint that was broken means. */
  readonly refusedBy: string | undefined;
}

/** The failure of a statement, as callers see it. */
export function failureOf(error: unknown, { state, code = 799, refusedBy }: Failure): ServiceError {
  if (state === outdatedModel) return new OutdatedModelError(error);
  const detail = details.get(state) ?? refusedBy;
  return new ServiceError(code, { cause: error, ...(detail === undefined ? {} : { detail }) });
}

/** The failure to get a connection from a pool, as callers see it; undefined if it is the database's. */
export function poolFailureOf(error: unknown, endedPool: RegExp): ServiceError | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error instanceof PoolExhausted || error.name === "KnexTimeoutError")
    return new ServiceError(607, { cause: error, retryAfter: 1 });
  return endedPool.test(error.message) ? new ServiceError(706, { cause: error }) : undefined;
}
