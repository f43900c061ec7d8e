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
