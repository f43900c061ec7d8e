import * as z from "zod";
import { flag } from "./fields.ts";
import { anyJson } from "./json.ts";
import { operations } from "./operations.ts";

/** Query parameters of a macro execution. */
export const executeParameters = z.object({
  skipChecker: flag.default(false).describe("Skips the execution checker of the macro. Requires the right to skip it."),
});

/** Execution of macros. */
export const macroOperations = operations("Macros", {
  executeMacro: {
    method: "POST",
    path: "/v1/execute/{macroName}",
    access: "session",
    effect: "macro",
    idempotent: true,
    summary: "Execute a macro",
    description:
      "The body is the input of the macro: any JSON value, or none. `data` is the result of the macro, or `{}` without a result. The macro can set the status message and can fail with any error code, including codes not listed here. By default, the execution is one transaction, and a failure rolls back all of its writes.",
    query: executeParameters,
    body: { json: anyJson, any: true, optional: true },
    data: anyJson,
    errors: [304, 307, 308, 400, 401, 402, 404, 609, 610, 710, 713, 718, 801],
  },
});
