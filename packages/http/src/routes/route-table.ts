import { serviceResponse } from "@sallyport/contract";
import type { TagName } from "../openapi/open-api.ts";
import { deletionRoutes } from "./deletion-routes.ts";
import { executedOnce } from "../keyed-request.ts";
import { fileLinkRoutes, fileRoutes, uploadRoutes } from "./file-routes.ts";
import { lockRoutes, readersRoutes } from "./object-access-routes.ts";
import { macroRoutes } from "./macro-routes.ts";
import { descriptionRoute, modelRoutes } from "./model-routes.ts";
import { multiRoutes } from "./multi-routes.ts";
import { objectRoutes, writeRoutes } from "./object-routes.ts";
import { passwordRoutes } from "./password-routes.ts";
import { providerRoutes } from "./provider-routes.ts";
import { defineRoute, type Route } from "./route.ts";
import { seatRoutes } from "./seat-routes.ts";
import { secondFactorRoutes } from "./second-factor-routes.ts";
import { customUserRoutes, sessionRoutes } from "./session-routes.ts";
import { syncRoutes } from "./sync-routes.ts";
import { secureRoutes, tokenRoutes } from "./token-routes.ts";
import { syncWriteRoutes } from "./sync-write-routes.ts";
import type { UseCases } from "./use-cases.ts";

/** All routes of a database, each with the tag of its group. */
export function routeTable(useCases: UseCases): Route[] {
  const description = descriptionRoute(useCases, () => routes);
  const single = [
    ...tagged("Service", serviceRoutes()),
    ...tagged("Sessions", [...sessionRoutes(useCases), ...tokenRoutes(useCases), ...secureRoutes(useCases)]),
    ...tagged("Seats", seatRoutes(useCases)),
    ...tagged("Custom users", customUserRoutes(useCases)),
    ...tagged("Passwords", passwordRoutes(useCases)),
    ...tagged("Second factors", secondFactorRoutes(useCases)),
    ...tagged("Providers", providerRoutes(useCases)),
    ...tagged("Objects", [
      ...objectRoutes(useCases),
      ...writeRoutes(useCases),
      ...deletionRoutes(useCases),
      ...readersRoutes(useCases),
      ...lockRoutes(useCases),
    ]),
    ...tagged("Files", [...uploadRoutes(useCases), ...fileRoutes(useCases), ...fileLinkRoutes(useCases)]),
    ...tagged("Synchronization", [...syncRoutes(useCases), ...syncWriteRoutes(useCases)]),
    ...tagged("Macros", macroRoutes(useCases)),
    ...tagged("Model", modelRoutes(useCases)),
    ...tagged("Service", [description]),
  ].map((route) => executedOnce(route, useCases));
  const routes = [...single, ...tagged("Service", multiRoutes(single, useCases))];
  return routes;
}

function tagged(tag: TagName, routes: readonly Route[]): Route[] {
  return routes.map((route) => ({ ...route, tag }));
}

/** Routes without credentials. */
function serviceRoutes(): Route[] {
  return [
    defineRoute({
      method: "GET",
      path: "/_CheckService",
      operation: "checkService",
      summary: "Check the service",
      access: "public",
      data: serviceResponse,
      errors: [],
      handle: async (_context, { settings: { applicationName, applicationVersion } }) => ({
        data: { applicationName, applicationVersion },
      }),
    }),
  ];
}
