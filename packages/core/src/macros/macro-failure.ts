import { ServiceError } from "../errors/service-error.ts";
import { MacroFault } from "./macro-fault.ts";
import { MacroRefusal } from "./macro-refusal.ts";

/** What a client is told of what ended an execution: the code that a module asked for, or 710 for one that failed. */
export function macroFailure(error: unknown): unknown {
  if (error instanceof MacroRefusal) return new ServiceError(error.code, error.detail === undefined ? {} : { detail: error.detail });
  if (error instanceof MacroFault) return new ServiceError(710, { detail: `${error.macro}: ${error.message}`, cause: error });
  return error;
}
