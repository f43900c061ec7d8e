import { types } from "node:util";
import { MacroFault, ServiceError } from "@sallyport/core";

/** What the log may hold of an error. Other members could carry values of a query, a connection string or a request. */
export interface DescribedError {
  readonly type: string;
  readonly message: string;
  readonly code?: string | number;
  readonly detail?: string;
  /** Where in the text of a macro. */
  readonly trace?: string;
  readonly stack?: string;
  readonly cause?: DescribedError;
}

const deepest = 5;

/** An error and what caused it, as plain data. */
export function describeError(error: unknown, depth = 0): DescribedError {
  if (!types.isNativeError(error)) return { type: typeof error, message: "Something that is no error was thrown." };
  const { code } = error as { code?: unknown };
  const detail = error instanceof ServiceError ? error.detail : undefined;
  return {
    type: error.name,
    message: error.message,
    ...(typeof code === "string" || typeof code === "number" ? { code } : {}),
    ...(detail === undefined ? {} : { detail }),
    ...(error instanceof MacroFault ? traceOf(error) : error.stack === undefined ? {} : { stack: error.stack }),
    ...(error.cause === undefined || depth === deepest ? {} : { cause: describeError(error.cause, depth + 1) }),
  };
}

/** A macro's own trace says where it failed; that of the server would say where it was noticed. */
function traceOf({ trace }: MacroFault): { readonly trace?: string } {
  return trace === undefined ? {} : { trace };
}
