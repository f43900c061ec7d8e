import { ServiceError } from "@sallyport/storage";
import { codeOf, isConflict } from "./engine.js";
import { NotImplemented } from "./not-implemented.js";

/**
 * Maps the failure of a call to a service error. Database texts stay in the cause, which only logs show.
 *
 * @param {unknown} error
 * @returns {unknown}
 */
export function serviceErrorOf(error) {
  if (error instanceof ServiceError || error instanceof NotImplemented) return error;
  return new ServiceError(codeOf(error) ?? (isConflict(error) ? 706 : 799), { cause: error });
}
