import { types } from "node:util";
import { type ErrorCode, ServiceError } from "@sallyport/storage";
import { ConformanceError } from "./conformance-error.ts";
import { described } from "./described.ts";

/** Asserts that a call rejects with this error code, and that the detail reveals no internals. Returns the error. */
export async function failsWith(code: ErrorCode, call: () => Promise<unknown>, what: string): Promise<ServiceError> {
  const expected = `a ServiceError ${code}`;
  let result: unknown;
  try {
    result = await call();
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== code) {
      throw new ConformanceError({ what, expected, got: described(error) }, { cause: error });
    }
    const { cause, detail = "" } = error;
    // Not `instanceof`: errors of Node belong to another realm in Jest.
    if (types.isNativeError(cause) && cause.message !== "" && detail.includes(cause.message)) {
      throw new ConformanceError(`${what}: the detail of the error repeats its cause.`, { cause: error });
    }
    return error;
  }
  throw new ConformanceError({ what, expected, got: `the answer ${described(result)}` });
}

/** Asserts that a call rejects with this very error, and throws nothing at once. */
export async function rethrows(error: Error, call: () => Promise<unknown>, what: string): Promise<void> {
  const expected = `the error of the work itself, ${described(error)}`;
  const fails = (got: string, cause?: unknown) => new ConformanceError({ what, expected, got }, { cause });
  let running: Promise<unknown>;
  try {
    running = call();
  } catch (thrown) {
    throw fails(`no promise, but ${described(thrown)}`, thrown);
  }
  let result: unknown;
  try {
    result = await running;
  } catch (thrown) {
    if (thrown === error) return;
    const isAlike = described(thrown) === described(error);
    throw fails(isAlike ? "a copy of it" : described(thrown), thrown);
  }
  throw fails(`the answer ${described(result)}`);
}
