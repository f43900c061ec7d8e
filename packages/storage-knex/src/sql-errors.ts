import { type ErrorCode, OutdatedModelError, ServiceError, UuidTakenError } from "@sallyport/core";

/** No connection became free in time, or too many callers wait. */
export class PoolExhausted extends Error {
  override readonly name = "PoolExhausted";
}

/** The SQLSTATEs raised by this project's functions and procedures. */
export const refusals: ReadonlyMap<unknown, ErrorCode> = new Map([
  ["SP302", 302],
  ["SP304", 304],
  ["SP306", 306],
  ["SP307", 307],
  ["SP315", 315],
  ["SP318", 318],
  ["SP610", 610],
  ["SP713", 713],
  ["SPLCK", 713],
]);

/** Maps every listed error to its code. */
export function codesOf(
  meanings: readonly (readonly [ErrorCode, readonly unknown[]])[],
): ReadonlyMap<unknown, ErrorCode> {
  return new Map(meanings.flatMap(([code, errors]) => errors.map((error) => [error, code] as const)));
}

/** Operating system errors that mean an unreachable server, with every driver. */
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

/** The detail of a duplicate UUID. */
export const uuidTaken = "A UUID is in use.";

/** The detail of a duplicate account name. */
export const nameTaken = "The user name is in use, or too similar to one in use.";

/** Details of some refusals. */
const details: ReadonlyMap<unknown, string> = new Map([
  ["SP307", "A link references an object that does not exist."],
  ["SP713", "The object has another version."],
  ["SPLCK", "The object is locked by another session."],
]);

/** The model generation of a write is outdated. */
const outdatedModel = "SPMOD";
/** Another object has the UUID of a new one. */
const takenUuid = "SPUID";

interface Failure {
  readonly state: unknown;
  /** Undefined means unexpected. */
  readonly code: ErrorCode | undefined;
  /** The detail of the violated constraint. */
  readonly refusedBy: string | undefined;
}

/** Maps the failure of a statement to a service error. */
export function failureOf(error: unknown, { state, code = 799, refusedBy }: Failure): ServiceError {
  if (state === outdatedModel) return new OutdatedModelError(error);
  if (state === takenUuid || refusedBy === uuidTaken) return new UuidTakenError(error);
  const detail = details.get(state) ?? refusedBy;
  return new ServiceError(code, { cause: error, ...(detail === undefined ? {} : { detail }) });
}

/** Maps the failure to get a connection to a service error; undefined if the error comes from the database. */
export function poolFailureOf(error: unknown, endedPool: RegExp): ServiceError | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error instanceof PoolExhausted || error.name === "KnexTimeoutError")
    return new ServiceError(607, { cause: error, retryAfter: 1 });
  return endedPool.test(error.message) ? new ServiceError(706, { cause: error }) : undefined;
}
