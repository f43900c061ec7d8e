import { explanationResponse } from "@sallyport/contract";
import { ServiceError } from "@sallyport/storage";
import type { Route } from "../routes/route.ts";
import type { UseCases } from "../routes/use-cases.ts";
import { administrationRoute, timeText } from "./administration-route.ts";

/** Routes of explanations of refused requests. */
export function refusalRoutes({ explainRefusal }: UseCases): Route[] {
  return [
    administrationRoute({
      method: "GET",
      path: "/refusals/{requestId}",
      operation: "explainRefusal",
      summary: "Get the explanation of a refused request",
      description:
        "`requestId` is the `X-Request-Id` of the answer. The server keeps explanations for some days, and not of every refusal.",
      data: explanationResponse,
      errors: [],
      handle: async (context, { parameter }) => {
        const explanation = await explainRefusal.explainRefusal(context, parameter("requestId"));
        if (explanation === null)
          throw new ServiceError(304, { detail: "There is no explanation for a request with this id." });
        return { data: { ...explanation, at: timeText(explanation.at) } };
      },
    }),
  ];
}
