import {
  type ErrorCode,
  OutdatedModelError,
  RefusedByStorageError,
  ServiceError,
  type StorageReason,
  UuidTakenError,
} from "@sallyport/storage";

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

/** Maps every listed error to its meaning. */
export function meaningsOf<Meaning extends ErrorCode | StorageReason>(
  meanings: readonly (readonly [Meaning, readonly unknown[]])[],
): ReadonlyMap<unknown, Meaning> {
  return new Map(meanings.flatMap(([meaning, errors]) => errors.map((error) => [error, meaning] as const)));
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

/** Details of some errors. */
const details: ReadonlyMap<unknown, string> = new Map([
  ["25006", "The database is read-only."],
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
  /** Undefined means unexpected, or a refusal of the database. */
  readonly code: ErrorCode | undefined;
  /** Why the database refused the statement, if it did. */
  readonly reason: StorageReason | undefined;
  /** The detail of the violated constraint. */
  readonly refusedBy: string | undefined;
}

/** Maps the failure of a statement to a service error. */
export function failureOf(error: unknown, { state, code, reason, refusedBy }: Failure): ServiceError {
  if (state === outdatedModel) return new OutdatedModelError(error);
  if (state === takenUuid || refusedBy === uuidTaken) return new UuidTakenError(error);
  if (code === undefined && reason !== undefined) return new RefusedByStorageError(reason, error);
  const detail = details.get(state) ?? refusedBy;
  return new ServiceError(code ?? 799, { cause: error, ...(detail === undefined ? {} : { detail }) });
}

/** The first row of a statement on the only row of `settings`. 705 if an interrupted restore has left none. */
export function withSettings<Row>([row]: readonly Row[]): Row {
  if (row !== undefined) return row;
  const detail =
    "The row of the table settings is missing: a restore was interrupted. Restore the backup again, into an empty database.";
  throw new ServiceError(705, { detail });
}

/** Maps the failure to get a connection to a service error; undefined if the error comes from the database. */
export function poolFailureOf(error: unknown, endedPool: RegExp): ServiceError | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error instanceof PoolExhausted || error.name === "KnexTimeoutError")
    return new ServiceError(607, { cause: error, retryAfter: 1 });
  return endedPool.test(error.message) ? new ServiceError(706, { cause: error }) : undefined;
}
