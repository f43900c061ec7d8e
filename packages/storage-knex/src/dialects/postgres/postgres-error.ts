import { type ErrorCode, objectTooLarge, ServiceError, type StorageReason } from "@sallyport/storage";
import { failureOf, meaningsOf, nameTaken, poolFailureOf, refusals, unreachable, uuidTaken } from "../../sql-errors.ts";

/** Maps SQLSTATEs to codes, by exact state or by class. Others are unexpected. */
const codes = meaningsOf<ErrorCode>([
  // Unreachable, or shutting down.
  [704, ["08", "28", "53300", "57P01", "57P02", "57P03", "57P05"]],
  // A former primary that became a standby.
  [704, ["25006"]],
  // Not migrated, or migrated by another version.
  [705, ["3D000", "3F000", "42P01", "42703", "42883"]],
  // Time-out.
  [706, ["57014", "55P03", "25P03", "25P04"]],
  // Conflicts in every attempt.
  [706, ["40001", "40P01"]],
  // A text that the database cannot store: with a null character, or too long for an index entry.
  [307, ["22021", "22P05", "54000"]],
]);

/** SQLSTATEs of a database that cannot do what it is asked for, by exact state or by class, and of errors that a trigger raises. */
const reasons = meaningsOf<StorageReason>([
  ["diskFull", ["53100"]],
  ["outOfMemory", ["53200"]],
  ["ioError", ["58030", "XX001", "XX002"]],
  ["refused", ["09", "27", "38", "39", "42501", "53", "58", "P0"]],
]);

/** Constraints that a caller can violate: two writers used the same UUID, or a name is taken. */
const refusedBy: ReadonlyMap<unknown, string> = new Map([
  ["objects_uuid_key", uuidTaken],
  ...["accounts", "custom_accounts"].flatMap((table) =>
    [`${table}_login_name_key`, `${table}_confusable_key_key`].map((constraint) => [constraint, nameTaken] as const),
  ),
]);

const lostConnection =
  /^(?:Connection (?:terminated|ended)|Client (?:has encountered a connection error|was closed)|timeout expired)/;
const lost = new Set([...unreachable, "ENGINE_STOPPED", "ERR_STREAM_DESTROYED", "ERR_STREAM_WRITE_AFTER_END"]);
const endedPool = /^(?:Unable to acquire a connection$|Cannot use a pool after calling end|aborted$)/;

/** A transaction time-out also closes the connection. */
const endedByTime = new Set(["25P03", "25P04"]);

/** Maps the failure of a statement to a service error. */
export function statementError(error: unknown): ServiceError {
  const constraint = constraintOf(error);
  if (constraint === objectSizeConstraint) return objectTooLarge(error);
  return failureOf(error, {
    state: stateOf(error),
    code: codeOf(error),
    reason: reasonOf(error),
    refusedBy: refusedBy.get(constraint),
  });
}

/** Maps the failure to get a connection to a service error. Other errors mean an unreachable database. */
export function connectionError(error: unknown): ServiceError {
  return poolFailureOf(error, endedPool) ?? new ServiceError(codeOf(error) ?? 704, { cause: error });
}

/** Whether another server of the cluster may be in reach instead: no server, one that stops or starts, or a standby. */
export function isOutOfReach(error: unknown): boolean {
  const state = stateOf(error);
  return codeOf(error) === 704 && !/^(?:28|53)/.test(state);
}

/** Whether the connection must not be used again. */
export function losesConnection(error: unknown): boolean {
  return codeOf(error) === 704 || endedByTime.has(stateOf(error)) || preparedIsStale(error);
}

/** Whether the statement took too long. Elsewhere it would, too. */
export function isStatementTimeout(error: unknown): boolean {
  return error instanceof ServiceError && stateOf(error.cause) === "57014";
}

/** Whether a statement waited for a lock longer than `lock_timeout`. */
export function isLockTimeout(error: unknown): boolean {
  return stateOf(error) === "55P03";
}

/** Whether a retry can succeed. */
export function isConflict(error: unknown): boolean {
  const state = stateOf(error);
  return state === "40001" || state === "40P01" || preparedIsStale(error) || dependencyIsGone(error);
}

/**
 * A prepared statement is invalid on this connection after a table change. Behind a pooler, it can be missing, or exist
 * already.
 */
export function preparedIsStale(error: unknown): boolean {
  const state = stateOf(error);
  if (state === "26000" || state === "42P05") return true;
  return state === "0A000" && (error as { routine?: unknown }).routine === "RevalidateCachedQuery";
}

/** Statements do not lock extended statistics and functions. One fails if another session drops them. */
function dependencyIsGone(error: unknown): boolean {
  return (
    stateOf(error) === "XX000" &&
    error instanceof Error &&
    /^cache lookup failed for (?:statistics object|function) /.test(error.message)
  );
}

function codeOf(error: unknown): ErrorCode | undefined {
  const state = stateOf(error);
  if (lost.has(state)) return 704;
  if (state === "" && error instanceof Error && lostConnection.test(error.message)) return 704;
  if (dependencyIsGone(error)) return 706;
  const code = refusals.get(state) ?? codes.get(state) ?? codes.get(state.slice(0, 2));
  return code ?? (refusedBy.has(constraintOf(error)) ? 307 : undefined);
}

/** A trigger can raise any state. This project's functions raise their own states only. */
function reasonOf(error: unknown): StorageReason | undefined {
  const state = stateOf(error);
  const isRaised = (error as { routine?: unknown } | null | undefined)?.routine === "exec_stmt_raise";
  return reasons.get(state) ?? reasons.get(state.slice(0, 2)) ?? (isRaised ? "refused" : undefined);
}

function constraintOf(error: unknown): unknown {
  return (error as { constraint?: unknown } | null)?.constraint;
}

function stateOf(error: unknown): string {
  const code: unknown = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === "string" ? code : "";
}

/** The name of the constraint that limits the size of objects. */
const objectSizeConstraint = "objects_size";
