import * as z from "zod";
import { operations } from "../operations.ts";
import { time } from "./access.ts";

const failure = z.object({
  code: z.int().describe("Error code of the answer."),
  status: z.int().describe("HTTP status."),
  name: z.string().describe("`statusMessage` of the answer."),
  steps: z
    .array(z.object({ asked: z.string(), found: z.string() }))
    .describe("The checks in their order, with their findings. The last one refused."),
  nextSteps: z.array(z.string()).describe("Next steps for the caller or the operator, in sentences."),
});

/** Why a request was refused. */
export const explanationResponse = z
  .object({
    requestId: z.string(),
    at: time,
    method: z.string(),
    route: z.string().describe("Pattern of the route."),
    network: z.string(),
    appKey: z.string().nullable().describe("Name of the app key."),
    mode: z.enum(["session", "token", "secure"]).nullable(),
    user: z.string().nullable().describe("Log-in name of the account, or its id if the account was removed."),
    failure: failure.nullable().describe("`null` if only items of a multi request failed."),
    items: z
      .array(failure.extend({ index: z.int(), method: z.string(), route: z.string().nullable() }))
      .describe("The first failed items of a multi request."),
  })
  .meta({ id: "Explanation" });

export type ExplanationData = z.infer<typeof explanationResponse>;

/** Explanations of refused requests. */
export const refusalOperations = operations("Audit", {
  explainRefusal: {
    method: "GET",
    path: "/admin/v1/refusals/{requestId}",
    access: "session",
    summary: "Get the explanation of a refused request",
    description:
      "`requestId` is the `X-Request-Id` of the answer. The server keeps explanations for some days, and not of every refusal.",
    data: explanationResponse,
  },
});
