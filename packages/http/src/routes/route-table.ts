import { databaseOperations } from "@sallyport/contract";
import { executedOnce } from "../keyed-request.ts";
import { RouteMatcher } from "../routing/route-matcher.ts";
import { deletionHandlers } from "./deletion-handlers.ts";
import { fileHandlers, type FileUseCases } from "./file-handlers.ts";
import { macroHandlers } from "./macro-handlers.ts";
import { descriptionHandlers, modelHandlers } from "./model-handlers.ts";
import { multiHandlers } from "./multi-handlers.ts";
import { objectAccessHandlers } from "./object-access-handlers.ts";
import { objectHandlers } from "./object-handlers.ts";
import { passwordHandlers } from "./password-handlers.ts";
import { providerHandlers } from "./provider-handlers.ts";
import { type Route, routesOf } from "../route.ts";
import { seatHandlers } from "./seat-handlers.ts";
import { secondFactorHandlers } from "./second-factor-handlers.ts";
import { customUserHandlers, sessionHandlers } from "./session-handlers.ts";
import { syncHandlers } from "./sync-handlers.ts";
import { viewHandlers } from "./view-handlers.ts";

/** Routes whose handlers apply an `Idempotency-Key` themselves: a multi request to its items, creations to what they store. */
const appliesKey: ReadonlySet<string> = new Set(["multi", "createObjects"]);

/** All routes of a database. `files`: use cases in place of those of the domain, for tests of transfers. */
export function routeTable(files?: FileUseCases): Route[] {
  const routes: Route[] = routesOf(databaseOperations, {
    service: {
      checkService: async (_context, { settings: { applicationName, applicationVersion } }) => ({
        data: { applicationName, applicationVersion },
      }),
    },
    sessions: sessionHandlers,
    seats: seatHandlers,
    customUsers: customUserHandlers,
    passwords: passwordHandlers,
    secondFactors: secondFactorHandlers,
    providers: providerHandlers,
    objects: objectHandlers,
    deletion: deletionHandlers,
    objectAccess: objectAccessHandlers,
    views: viewHandlers,
    files: fileHandlers(files),
    synchronization: syncHandlers,
    macros: macroHandlers,
    model: modelHandlers,
    description: descriptionHandlers,
    multi: multiHandlers(() => matcher),
  }).map((route) => (appliesKey.has(route.id) ? route : executedOnce(route)));
  const matcher = new RouteMatcher(routes);
  return routes;
}
