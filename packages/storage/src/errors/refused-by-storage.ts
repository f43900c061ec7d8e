import type { ErrorCode } from "./catalogue.ts";
import { brand, ServiceError } from "./service-error.ts";

/** Why a storage refuses a call. Other reasons, such as an error raised by a trigger or a missing right, are `refused`. */
export type StorageReason = "diskFull" | "outOfMemory" | "ioError" | "refused";

const details: Readonly<Record<StorageReason, string>> = {
  diskFull: "The disk of the database is full.",
  outOfMemory: "The database is out of memory.",
  ioError: "The database reports an I/O error.",
  refused: "The database refuses the call.",
};

/**
 * The storage was reached and refused a call for a reason that is not in the server: a full disk, no memory, an I/O
 * error, an error raised by a trigger, a missing right. The call had no effect. The transaction goes on, if the engine
 * can continue it. 706, unless `refusedAs` names the code of what was being done.
 */
export class RefusedByStorageError extends ServiceError {
  readonly reason: StorageReason;

  constructor(reason: StorageReason, cause?: unknown) {
    super(706, { detail: details[reason], cause });
    this.reason = reason;
  }
}

brand(RefusedByStorageError, "RefusedByStorageError");

/** Gives a refusal of the storage the code of what was being done. All other errors stay. */
export async function refusedAs<T>(code: ErrorCode, doing: Promise<T>): Promise<T> {
  try {
    return await doing;
  } catch (error) {
    if (!(error instanceof RefusedByStorageError)) throw error;
    throw new ServiceError(code, { detail: details[error.reason], cause: error });
  }
}

/** Whether the storage refused the call, under any code. */
export function isRefusedByStorage(error: unknown): boolean {
  if (error instanceof RefusedByStorageError) return true;
  return error instanceof ServiceError && error.cause !== undefined && isRefusedByStorage(error.cause);
}
