import { type ErrorCode, ServiceError, type StorageReason } from "@sallyport/storage";
import { failureOf, meaningsOf, nameTaken, poolFailureOf, refusals, unreachable, uuidTaken } from "../../sql-errors.ts";

/** Error numbers of a read-only server, such as a replica, or of InnoDB in its read-only mode. */
const readOnly = [1036, 1290, 1792, 1836, 1874];

/** Maps error numbers to codes. Other numbers are unexpected. */
const codes = meaningsOf<ErrorCode>([
  // Too many connections, access denied, server shutdown, or killed connection.
  [704, [1040, 1203, 1226, 1044, 1045, 1698, 1053, 1079, 1927, 4031]],
  // Network time-out, or idle too long within a transaction.
  [704, [1158, 1159, 1160, 1161]],
  // A node that has left its cluster.
  [704, [1047]],
  [704, readOnly],
  // Not migrated, or migrated by another version.
  [705, [1046, 1049, 1051, 1054, 1109, 1146, 1305, 1318]],
  // Time-out.
  [706, [1317, 1969, 3024]],
  // Conflicts in every attempt.
  [706, [1020, 1205, 1213]],
  // A text that the database cannot store: invalid, or too long for an index entry.
  [307, [1366, 1406]],
]);

/** Error numbers of a database that cannot execute a statement, and of errors that a trigger raises. */
const reasons = meaningsOf<StorageReason>([
  // Or a table cannot grow.
  ["diskFull", [20, 35, 1021, 1114]],
  ["outOfMemory", [5, 1037, 1038, 1041, 1206]],
  // An error of a file or of the engine, or a damaged table or index, also of a temporary table on a full disk.
  ["ioError", [2, 3, 126, 1016, 1023, 1024, 1026, 1030, 1034, 1035, 1712, 1877]],
  // Raised by a trigger; missing rights.
  ["refused", [1644, 1142, 1143, 1370]],
]);

/** The standard state of a read-only transaction, which the server gives to one of its errors. */
const readOnlyState = "25006";

/** The state of an error that a trigger raises, with any number. */
const triggerState = "45000";

/** The details of refusals by constraints that a caller can violate: two writers used the same UUID, or a name is taken. */
const constraintDetails: ReadonlyMap<unknown, string> = new Map([
  ["objects_uuid", uuidTaken],
  ...["accounts", "custom_accounts"].flatMap((table) =>
    [`${table}_login_name`, `${table}_confusable_key`].map((key) => [key, nameTaken] as const),
  ),
]);

/** Codes of a lost connection, or of one that cannot be opened. */
const connectionCodes = new Set<unknown>([
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

/** Error numbers of a statement that was killed or timed out. */
const interruptions = new Set<unknown>([1317, 1969]);

const duplicateKey = 1062;
const unknownColumn = 1054;
const deadlock = 1213;

/** Maps the failure of a statement to a service error. */
export function statementError(error: unknown): ServiceError {
  return failureOf(error, {
    state: readOnly.includes(partsOf(error).errno as number) ? readOnlyState : partsOf(error).sqlState,
    code: codeOf(error),
    reason: reasonOf(error),
    refusedBy: constraintDetails.get(constraintOf(error)),
  });
}

/** Maps the failure to get a connection to a service error. Other errors mean an unreachable database. */
export function connectionError(error: unknown): ServiceError {
  return poolFailureOf(error, endedPool) ?? new ServiceError(704, { cause: error });
}

/** Whether the connection must not be used again: an aborted procedure leaves its transaction open. */
export function losesConnection(error: unknown): boolean {
  const { errno, fatal } = partsOf(error);
  return codeOf(error) === 704 || fatal === true || interruptions.has(errno);
}

/** Whether a retry of the transaction can succeed: it lost against another one, or named a column that is dropped. */
export function isConflict(error: unknown): boolean {
  const { errno } = partsOf(error);
  return errno === deadlock || errno === 1205 || errno === 1020 || errno === unknownColumn;
}

/** Whether the statement named a column that another process has dropped. */
export function isUnknownColumn(error: unknown): boolean {
  return error instanceof ServiceError && partsOf(error.cause).errno === unknownColumn;
}

/** Whether the statement lost against another transaction: a deadlock, or an earlier commit on another node. */
export function isDeadlock(error: unknown): boolean {
  return error instanceof ServiceError && partsOf(error.cause).errno === deadlock;
}

export function isDuplicate(error: unknown): boolean {
  return partsOf(error).errno === duplicateKey;
}

function codeOf(error: unknown): ErrorCode | undefined {
  const { code, errno, sqlState, message } = partsOf(error);
  if (error instanceof SilentServer || connectionCodes.has(code) || closedConnection.test(message)) return 704;
  return refusals.get(sqlState) ?? codes.get(errno) ?? (constraintDetails.has(constraintOf(error)) ? 307 : undefined);
}

function reasonOf(error: unknown): StorageReason | undefined {
  const { errno, sqlState } = partsOf(error);
  return reasons.get(errno) ?? (sqlState === triggerState ? "refused" : undefined);
}

/** The name of the violated unique key. The driver provides it only at the end of the message, after the value. */
function constraintOf(error: unknown): string | undefined {
  return isDuplicate(error) ? /for key '([^']*)'$/.exec(partsOf(error).message)?.[1] : undefined;
}

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

/** The server has been silent for longer than any statement may take: the network or the machine failed. */
export class SilentServer extends Error {
  override readonly name = "SilentServer";

  constructor() {
    super("The database server does not respond.");
  }
}
