import { ServiceError } from "../errors/index.ts";

/** Awaits a call of the kernel, and notes its failure. */
export type Note = <T>(call: Promise<T>) => Promise<T>;

/**
 * Runs work in a reader or a transaction of the kernel. A failure of the kernel is a `ServiceError`; an error of the work itself
 * is rethrown unchanged.
 */
export async function covered<Reader, T>(
  run: (work: (reader: Reader) => Promise<T>) => Promise<T>,
  work: (reader: Reader, note: Note) => Promise<T>,
): Promise<T> {
  const ofKernel = new Set<unknown>();
  const ofWork = new Set<unknown>();
  try {
    return await run((reader) =>
      noted(
        work(reader, (call) => noted(call, ofKernel)),
        ofWork,
      ),
    );
  } catch (error) {
    throw ofWork.has(error) && !ofKernel.has(error) ? error : asServiceError(error);
  }
}

/** Awaits a call of the kernel outside of any work. */
export async function serviceErrors<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw asServiceError(error);
  }
}

async function noted<T>(call: Promise<T>, failures: Set<unknown>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    failures.add(error);
    throw error;
  }
}

function asServiceError(error: unknown): ServiceError {
  return error instanceof ServiceError ? error : new ServiceError(799, { cause: error });
}
