import type { refusalOperations } from "@sallyport/contract";
import { ServiceError } from "@sallyport/storage";
import type { Handlers } from "../route.ts";
import { timeText } from "./answers.ts";
import { explainRefusal } from "@sallyport/core";

/** Explanations of refused requests. */
export const refusalHandlers: Handlers<typeof refusalOperations> = {
  explainRefusal: async (context, { parameter }) => {
    const explanation = await explainRefusal(context, parameter("requestId"));
    if (explanation === null)
      throw new ServiceError(304, { detail: "There is no explanation for a request with this id." });
    return { data: { ...explanation, at: timeText(explanation.at) } };
  },
};
