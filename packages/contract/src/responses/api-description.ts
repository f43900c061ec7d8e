import { z } from "zod";

/** The answer of `/openapi.json`, in no envelope. */
export const apiDescription = z
  .looseObject({ openapi: z.string().describe("Version of the format: 3.1.1.") })
  .describe("An OpenAPI document, in no envelope.")
  .meta({ id: "ApiDescription" });
