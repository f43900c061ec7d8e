import { createRequire } from "node:module";
import { RefusedByStorageError, ServiceError } from "@sallyport/storage";

/** A prepared statement of either driver. `reader` tells with better-sqlite3 whether it returns rows; `node:sqlite` has no such member. */
interface Statement {
  readonly reader?: boolean;
  all(...values: readonly unknown[]): unknown[];
  run(...values: readonly unknown[]): unknown;
}

/** A connection of either driver. Each has one of the two members that tell whether a transaction is open. */
export interface Driver {
  readonly inTransaction?: boolean;
  readonly isTransaction?: boolean;
  prepare(sql: string): Statement;
  exec(sql: string): unknown;
  close(): void;
}

export type OpenDriver = (file: string) => Driver;

/** Finds a driver: `node:sqlite`, else better-sqlite3. Throws one line if neither is there. */
export function findDriver(): OpenDriver {
  const builtin = process.getBuiltinModule?.("node:sqlite") as
    | { readonly DatabaseSync: new (file: string) => Driver }
    | undefined;
  if (builtin !== undefined) return (file) => new builtin.DatabaseSync(file);
  try {
    const Sqlite = createRequire(import.meta.url)("better-sqlite3") as new (file: string) => Driver;
    // It loads its binary late.
    new Sqlite(":memory:").close();
    return (file) => new Sqlite(file);
  } catch (cause) {
    throw new Error("SQLite needs Node 22.13 or newer, or the package better-sqlite3.", { cause });
  }
}

/** The result codes of SQLite by number: `node:sqlite` reports numbers, better-sqlite3 names. */
const names = (
  "OK ERROR INTERNAL PERM ABORT BUSY LOCKED NOMEM READONLY INTERRUPT IOERR CORRUPT NOTFOUND FULL CANTOPEN PROTOCOL EMPTY " +
  "SCHEMA TOOBIG CONSTRAINT MISMATCH MISUSE NOLFS AUTH FORMAT RANGE NOTADB"
).split(" ");

/** SQLITE_CONSTRAINT_TRIGGER, an extended code. */
const raisedByTrigger = 1_811;

/** 607: another process has the lock, or every connection is busy. */
export function busy(cause?: unknown): ServiceError {
  return new ServiceError(607, { retryAfter: 1, cause });
}

/** The error of the contract for one of the driver. An unexpected one stays: it counts as 799. */
export function storageError(error: unknown): unknown {
  const { errcode, code = "", message = "" } = error as { errcode?: number; code?: string; message?: string };
  const name = (errcode === undefined ? code.split("_")[1] : names[errcode & 0xff]) ?? "";
  if (name === "BUSY" || name === "LOCKED") return busy(error);
  if (name === "CANTOPEN") return new ServiceError(704, { cause: error });
  if (name === "FULL") return new RefusedByStorageError("diskFull", error);
  if (name === "NOMEM") return new RefusedByStorageError("outOfMemory", error);
  if (["IOERR", "CORRUPT", "NOTADB"].includes(name)) return new RefusedByStorageError("ioError", error);
  const isRaised = errcode === raisedByTrigger || code === "SQLITE_CONSTRAINT_TRIGGER";
  if (isRaised || ["READONLY", "PERM", "AUTH"].includes(name)) return new RefusedByStorageError("refused", error);
  return message.startsWith("no such table: ") ? new ServiceError(705, { cause: error }) : error;
}
