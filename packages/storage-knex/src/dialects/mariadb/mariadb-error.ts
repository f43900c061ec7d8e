import { type ErrorCode, ServiceError } from "@sallyport/core";
import { codesOf, failureOf, nameTaken, poolFailureOf, refusals, unreachable } from "../../sql-errors.ts";

/** What numbers of errors mean to callers; what is not listed is unexpected. */
const codes = codesOf([
  // Too many connections, for all or for this account; not let in; about to go away or ended by somebody.
  [704, [1040, 1203, 1226, 1044, 1045, 1698, 1053, 1079, 1927, 4031]],
  // Went silent, or had been idle within a transaction for too long.
  [704, [1158, 1159, 1160, 1161]],
  // Only reads, as a replica does.
  [704, [1290, 1792, 1836]],
  // Not migrated, or by another version.
  [705, [1046, 1049, 1051, 1054, 1109, 1146, 1305, 1318]],
  // Took too long.
  [706, [1317, 1969, 3024]],
  // Lost against others as often as it was tried.
  [706, [1020, 1205, 1213]],
  // A text that the database cannot hold: of another form, or longer than an index entry may be.
  [307, [1366, 1406]],
]);

/** Constraints that a caller can break, and what that means: two writers at once gave one UUID, or a name is another's. */
const refusedBy: ReadonlyMap<unknown, string> = new Map([
  ["objects_uuid", "A UUID is in use."],
  ...["accounts", "custom_accounts"].flatMap((table) =>
    [`${table}_login_name`, `${table}_confusable_key`].map((key) => [key, nameTaken] as const),
  ),
]);

const lost = new Set<unknown>([
  ...unreachable,
  "ENOENT",
  "EACCES",
  "PROTOCOL_CONNECTION_LOST",
  "HANDSHAKE_SSL_ERROR",
  "HANDSHAKE_NO_SSL_SUPPORT",
]);
const closedConnection =
  /^(?:Can't add new command when connection is in closed state|Connection lost|read ECONNRESET|This socket has been ended)/;
const endedPool = /^(?:Unable to acquire a connection$|aborted$)/;

/** Somebody, or a time-out, has stopped the statement. */
const brokenOff = new Set<unknown>([1317, 1969]);

/** A row with one of these values is there already. */
const duplicate = 1062;

/** The failure of a statement, as callers see it. */
export function statementError(error: unknown): ServiceError {
  return failureOf(error, {
    state: partsOf(error).sqlState,
    code: codeOf(error),
    refusedBy: refusedBy.get(constraintOf(error)),
  });
}

/** The failure to get a connection, as callers see it: whatever is not known better means that there is no database. */
export function connectionError(error: unknown): ServiceError {
  return poolFailureOf(error, endedPool) ?? new ServiceError(704, { cause: error });
}

/** Whether the connection must not be used again after this error: what a procedure was broken off in is still open there. */
export function losesConnection(error: unknown): boolean {
  const { errno, fatal } = partsOf(error);
  return codeOf(error) === 704 || fatal === true || brokenOff.has(errno);
}

/** Whether the same work can succeed when it simply runs again. */
export function isConflict(error: unknown): boolean {
  const { errno } = partsOf(error);
  return errno === 1213 || errno === 1205 || errno === 1020;
}

/** Whether a row could not be added because there is one with the same name, number or digest. */
export function isDuplicate(error: unknown): boolean {
  return partsOf(error).errno === duplicate;
}

function codeOf(error: unknown): ErrorCode | undefined {
  const { code, errno, sqlState, message } = partsOf(error);
  if (error instanceof SilentServer || lost.has(code) || closedConnection.test(message)) return 704;
  return refusals.get(sqlState) ?? codes.get(errno) ?? (refusedBy.has(constraintOf(error)) ? 307 : undefined);
}

/** The key that a row would have had twice. The driver leaves it in the message alone, behind the value, at the end. */
function constraintOf(error: unknown): string | undefined {
  return isDuplicate(error) ? /for key '([^']*)'$/.exec(partsOf(error).message)?.[1] : undefined;
}

/** What the driver makes errors of. */
interface Parts {
  readonly code?: unknown;
  readonly errno?: unknown;
  readonly sqlState?: unknown;
  readonly fatal?: unknown;
  readonly message: string;
}

function partsOf(error: unknown): Parts {
  return typeof error === "object" && error !== null && "message" in error ? (error as Parts) : { message: "" };
}

/** The server has said nothing for longer than any statement may take: the cable is out, the machine is gone. */
export class SilentServer extends Error {
  override readonly name = "SilentServer";

  constructor() {
    super("The server stays silent.");
  }
}
