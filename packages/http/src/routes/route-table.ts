import { customUserRoutes } from "./custom-user-routes.ts";
import { departureRoutes } from "./departure-routes.ts";
import { descriptionRoute } from "./description-route.ts";
import { lockRoutes } from "./lock-routes.ts";
import { macroRoutes } from "./macro-routes.ts";
import { modelRoutes } from "./model-routes.ts";
import { multiRoutes } from "./multi-routes.ts";
import { objectRoutes } from "./object-routes.ts";
import { passwordRoutes } from "./password-routes.ts";
import { readersRoutes } from "./readers-routes.ts";
import { secondFactorRoutes } from "./second-factor-routes.ts";
import { providerRoutes } from "./provider-routes.ts";
import { secureRoutes } from "./secure-routes.ts";
import { tokenRoutes } from "./token-routes.ts";
import type { TagName } from "../openapi/tags.ts";
import type { Route } from "./route.ts";
import { serviceRoutes } from "./service-routes.ts";
import { sessionRoutes } from "./session-routes.ts";
import type { UseCases } from "./use-cases.ts";
import { writeRoutes } from "./write-routes.ts";

/** Every route of a database, each with the tag of its group. */
export function routeTable(useCases: UseCases): Route[] {
  const description = descriptionRoute(useCases, () => routes);
  const single = [
    ...tagged("Service", serviceRoutes()),
    ...tagged("Sessions", [...sessionRoutes(useCases), ...tokenRoutes(useCases), ...secureRoutes(useCases)]),
    ...tagged("Custom users", customUserRoutes(useCases)),
    ...tagged("Passwords", passwordRoutes(useCases)),
    ...tagged("Second factors", secondFactorRoutes(useCases)),
    ...tagged("Providers", providerRoutes(useCases)),
    ...tagged("Objects", [
      ...objectRoutes(useCases),
      ...writeRoutes(useCases),
      ...departureRoutes(useCases),
      ...readersRoutes(useCases),
      ...lockRoutes(useCases),
    ]),
    ...tagged("Macros", macroRoutes(useCases)),
    ...tagged("Model", modelRoutes(useCases)),
    ...tagged("Service", [description]),
  ];
  const routes = [...single, ...tagged("Service", multiRoutes(single, useCases))];
  return routes;
}

function tagged(tag: TagName, routes: readonly Route[]): Route[] {
  return routes.map((route) => ({ ...route, tag }));
}
