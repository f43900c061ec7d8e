import { anyJson, executeParameters } from "@sallyport/contract";
import type { JsonValue } from "@sallyport/storage";
import { defineRoute, type Route } from "./route.ts";
import type { UseCases } from "./use-cases.ts";

/** Routes of macro execution. */
export function macroRoutes({ executeMacro }: UseCases): Route[] {
  return [
    defineRoute({
      method: "POST",
      path: "/v1/execute/{macroName}",
      operation: "executeMacro",
      summary: "Execute a macro",
      description:
        "The body is the input of the macro: any JSON value, or none. `data` is the result of the macro, or `{}` without a result. The macro can set the status message and can fail with any error code, including codes not listed here. By default, the execution is one transaction, and a failure rolls back all of its writes.",
      access: "session",
      executesMacro: true,
      idempotent: true,
      body: { schema: anyJson, faultOrder: [], any: true, optional: true },
      query: executeParameters,
      data: anyJson,
      errors: [304, 307, 308, 400, 401, 402, 404, 609, 610, 710, 713, 718, 801],
      handle: async (context, { parameter, body, query }) => {
        const input = { input: body as JsonValue | undefined, skipCheck: query.skipChecker };
        const { result, message } = await executeMacro.executeMacro(context, parameter("macroName"), input);
        return { data: result === undefined ? {} : result, ...(message === undefined ? {} : { message }) };
      },
    }),
  ];
}
