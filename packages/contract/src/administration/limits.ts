import * as z from "zod";
import { operations } from "../operations.ts";

/** The limits of the database. */
export const limitsResponse = z
  .object({
    items: z.array(
      z.object({
        name: z.string().describe("Path in the configuration, such as `sessions.limit`."),
        value: z.int().describe("The value in force."),
        default: z.int().describe("The value of the configuration."),
        overridden: z.boolean().describe("Whether the database overrides the configuration."),
      }),
    ),
  })
  .meta({ id: "Limits" });

/** Body of `PATCH /admin/v1/limits`. */
export const limitsRequest = z
  .record(z.string().max(64), z.int().nullable())
  .describe("Values by the names of limits. `null` returns to the configuration. Others stay as they are.")
  .meta({ id: "LimitsChange" });

export type LimitsData = z.infer<typeof limitsResponse>;
export type LimitsChangeData = z.input<typeof limitsRequest>;

/** The limits of sessions and request rates. */
export const limitOperations = operations("Operations", {
  getLimits: {
    method: "GET",
    path: "/admin/v1/limits",
    access: "session",
    summary: "Get the limits of sessions and request rates",
    data: limitsResponse,
    versioned: true,
  },
  changeLimits: {
    method: "PATCH",
    path: "/admin/v1/limits",
    access: "session",
    proof: true,
    summary: "Set limits, or return to those of the configuration",
    description: "All servers apply the limits from their next request. Open sessions stay.",
    body: { json: limitsRequest },
    data: limitsResponse,
    versioned: true,
    conditional: true,
    errors: [713],
  },
});
