import { limitsRequest, limitsResponse } from "@sallyport/contract";
import { administeredLimits, changeLimits } from "@sallyport/core";
import type { Route } from "../routes/route.ts";
import { administrationRoute, requiredVersions } from "./administration-route.ts";

/** Routes of the limits of sessions and request rates. */
export function limitRoutes(): Route[] {
  return [
    administrationRoute({
      method: "GET",
      path: "/limits",
      operation: "getLimits",
      summary: "Get the limits of sessions and request rates",
      data: limitsResponse,
      versioned: true,
      errors: [],
      handle: async (context) => {
        const { content: items, version } = await administeredLimits(context);
        return { data: { items }, version };
      },
    }),
    administrationRoute({
      method: "PATCH",
      path: "/limits",
      operation: "changeLimits",
      summary: "Set limits, or return to those of the configuration",
      description: "All servers apply the limits from their next request. Open sessions stay.",
      needsProof: true,
      body: { schema: limitsRequest, faultOrder: [] },
      data: limitsResponse,
      versioned: true,
      conditional: true,
      errors: [713],
      handle: async (context, { body, ...input }) => {
        const expectedVersions = requiredVersions(input);
        const changes = new Map(Object.entries(body));
        const { content: items, version } = await changeLimits(context, { changes, expectedVersions });
        return { data: { items }, version };
      },
    }),
  ];
}
