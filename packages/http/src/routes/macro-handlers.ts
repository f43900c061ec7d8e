import type { macroOperations } from "@sallyport/contract";
import type { JsonValue } from "@sallyport/storage";
import type { Handlers } from "../route.ts";
import { executeMacro } from "@sallyport/core";

/** Execution of macros. */
export const macroHandlers: Handlers<typeof macroOperations> = {
  executeMacro: async (context, { parameter, body, query }) => {
    const input = { input: body as JsonValue | undefined, skipCheck: query.skipChecker };
    const { result, message } = await executeMacro(context, parameter("macroName"), input);
    return { data: result === undefined ? {} : result, ...(message === undefined ? {} : { message }) };
  },
};
