import { anyJson, executeParameters } from "@sallyport/contract";
import type { JsonValue } from "@sallyport/core";
import { defineRoute, type Route } from "./route.ts";
import type { UseCases } from "./use-cases.ts";

/** Routes of macro execution. */
export function macroRoutes({ executeMacro }: UseCases): Route[] {
  return [
    defineRoute({
      method: "POST",
      path: "/v1/execute/{macroName}",
      operation: "executeMacro",
      summary: "Executes a macro with any JSON, or with nothing.",
      description:
        "What the macro gives back is `data`; `{}` if that is nothing. It may choose the status message, and may answer with any code of the catalogue, also with one that is not listed here. Everything that it does is one transaction, unless it asks for something else: after a failure nothing of it is kept.",
      access: "session",
      executesMacro: true,
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
