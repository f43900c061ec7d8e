import { databaseOperations } from "@sallyport/contract";
import { executedOnce } from "../keyed-request.ts";
import { RouteMatcher } from "../routing/route-matcher.ts";
import { deletionHandlers } from "./deletion-handlers.ts";
import { fileHandlers } from "./file-handlers.ts";
import { macroHandlers } from "./macro-handlers.ts";
import { descriptionHandlers, modelHandlers } from "./model-handlers.ts";
import { multiHandlers } from "./multi-handlers.ts";
import { objectAccessHandlers } from "./object-access-handlers.ts";
import { objectHandlers } from "./object-handlers.ts";
import { passwordHandlers } from "./password-handlers.ts";
import { providerHandlers } from "./provider-handlers.ts";
import { type Route, routesOf } from "./route.ts";
import { seatHandlers } from "./seat-handlers.ts";
import { secondFactorHandlers } from "./second-factor-handlers.ts";
import { customUserHandlers, sessionHandlers } from "./session-handlers.ts";
import { syncHandlers } from "./sync-handlers.ts";
import type { UseCases } from "./use-cases.ts";

/** All routes of a database. */
export function routeTable(useCases: UseCases): Route[] {
  const routes: Route[] = routesOf(databaseOperations, {
    service: {
      checkService: async (_context, { settings: { applicationName, applicationVersion } }) => ({
        data: { applicationName, applicationVersion },
      }),
    },
    sessions: sessionHandlers(useCases),
    seats: seatHandlers(useCases),
    customUsers: customUserHandlers(useCases),
    passwords: passwordHandlers(useCases),
    secondFactors: secondFactorHandlers(useCases),
    providers: providerHandlers(useCases),
    objects: objectHandlers(useCases),
    deletion: deletionHandlers(useCases),
    objectAccess: objectAccessHandlers(useCases),
    files: fileHandlers(useCases),
    synchronization: syncHandlers(useCases),
    macros: macroHandlers(useCases),
    model: modelHandlers(useCases),
    description: descriptionHandlers(useCases),
    multi: multiHandlers(() => matcher, useCases),
    // The multi request applies its key to its items.
  }).map((route) => (route.id === "multi" ? route : executedOnce(route, useCases)));
  const matcher = new RouteMatcher(routes);
  return routes;
}
