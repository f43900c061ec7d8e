import { type ErrorCode, ServiceError } from "@sallyport/storage";

/** Codes of a storage that failed. */
const ofStorage: ReadonlySet<ErrorCode> = new Set([704, 705, 706, 799]);

/**
 * The failure of a call for synchronization, under the code of the call. Failures that are not of the storage keep their
 * code. Call it outside transactions: they retry by the original error.
 */
export function syncFailure(code: ErrorCode, error: unknown): unknown {
  if (!(error instanceof ServiceError)) return new ServiceError(code, { cause: error });
  if (!ofStorage.has(error.code)) return error;
  return new ServiceError(code, {
    cause: error,
    ...(error.retryAfter === undefined ? {} : { retryAfter: error.retryAfter }),
  });
}
