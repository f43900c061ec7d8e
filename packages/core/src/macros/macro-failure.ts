import { ServiceError } from "../errors/service-error.ts";
import { MacroFault } from "./macro-fault.ts";
import { MacroRefusal } from "./macro-refusal.ts";

/** What a client is told of what ended an execution: the code that a module asked for, 706 for one that could not help it, or 710 for one that failed. */
export function macroFailure(error: unknown): unknown {
  if (error instanceof MacroRefusal)
    return new ServiceError(error.code, error.detail === undefined ? {} : { detail: error.detail });
  if (error instanceof MacroFault && error.kind === "displaced")
    return new ServiceError(706, { detail: `${error.macro}: ${error.message}`, retryAfter: 1, cause: error });
  if (error instanceof MacroFault)
    return new ServiceError(710, { detail: `${error.macro}: ${error.message}`, cause: error });
  return error;
}
