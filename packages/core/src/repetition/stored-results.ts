import {
  type Digest,
  type ErrorCode,
  isErrorCode,
  type JsonValue,
  type RecordKind,
  type RecordRepository,
  ServiceError,
} from "@sallyport/storage";

/**
 * The result of a request or a pushed change that was executed, or finally refused: a repetition gets it instead of an
 * effect. Its record has no lifetime, so that archives contain it: what was dumped is not executed again after a restore.
 */
export interface StoredResult {
  /** Digest of what was executed. A repetition must be the same. */
  readonly contents: Digest;
  readonly code: ErrorCode | 0;
  readonly detail: string | null;
  /** The part of a success that a repetition is told. */
  readonly outcome: JsonValue;
}

export function storedResult(contents: Digest, error: ServiceError | null, outcome: JsonValue): StoredResult {
  return { contents, code: error?.code ?? 0, detail: error?.detail ?? null, outcome };
}

/** The refusal that was stored; `null` for a success. */
export function storedError({ code, detail }: StoredResult): ServiceError | null {
  return isErrorCode(code) ? new ServiceError(code, detail === null ? {} : { detail }) : null;
}

/**
 * Forgets results that are at least `age` milliseconds old. Looks at no more than `limit`, each of them twice: a lease that is
 * as long as the age makes it due again when it is old. Returns how many it has looked at.
 */
export async function forgetResults(
  records: Pick<RecordRepository, "claim" | "remove">,
  kind: RecordKind<StoredResult>,
  age: number,
  limit: number,
): Promise<number> {
  const claimed = await records.claim(kind, limit, age);
  const ids = claimed.flatMap((each) => (each.age >= age ? [each.id] : []));
  if (ids.length > 0) await records.remove(kind, { ids });
  return claimed.length;
}
